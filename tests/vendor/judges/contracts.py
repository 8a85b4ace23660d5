"""Judge data contracts by the model of open-data-contract-standard, and by the linter of datacontract-cli.

Standard input has texts of YAML; standard output gets the problems.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from datacontract.data_contract import DataContract
from open_data_contract_standard.model import OpenDataContractStandard
from pydantic import ValidationError


def problems(text: str) -> Iterator[str]:
    """Yield what the model and the linter report."""
    try:
        OpenDataContractStandard.from_string(text)
    except ValidationError as error:
        yield from (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        return
    for check in DataContract(data_contract_str=text).lint().checks:
        if check.result not in ("passed", "ResultEnum.passed"):
            yield f"{check.name}: {check.reason}"


print(json.dumps([problem for text in json.load(sys.stdin) for problem in problems(text)]))
