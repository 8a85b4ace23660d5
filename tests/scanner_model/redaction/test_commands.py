"""Secrets at their places in command lines, and tokens by their forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_model.redaction import mask_text
from scanner_model.redaction.commands import _PROGRAMS, mask_commands

S = "Zebra42pond"
R = "AbCd1234EfGh5678IjKl9012MnOp3456"
LINES = (
    f"curl -uadmin:{S} https://h", f"curl -sSu 'admin:{S}' https://h", f"curl -b 'session={S}' https://h",
    f"curl --user=me:{S} h", f"PGPASSWORD={S} psql -h db", f"mysqldump -uroot -p'{S}' db",
    f"rpk topic list -X pass={S}", f"openssl enc -aes-256-cbc -in a -k {S}", f"chpasswd <<< 'u:{S}'",
    f"rpk acl user create a -p {S}", f"redis-cli -h r -a {S} ping", f"mongosh -u a -p {S} db",
    f"docker login -u me -p {S} r",
    f"az login --service-principal -u x -p {S}", f"kubectl create secret generic x --from-literal=key={S}",
    f"ldapsearch -x -D cn=a -w {S}", f"keytool -list -storepass {S} -keypass {S}", f"sqlcmd -S h -U sa -P {S}",
    f"bcp t out f -U sa -P{S}", f"sqlplus scott/{S}@db", f"vault login {S}", f"http -a admin:{S} https://h",
    f"aws configure set aws_secret_access_key {S}", f"unzip -P {S} x.zip", f"smbclient //h/x -U user%{S}",
    f"rabbitmqadmin -u a -p {S} list", f"echo {S} | sudo -S ls", f"echo '{S}' | docker login --password-stdin -u me",
    f"twine upload -u a -p {S}", f"cqlsh -u a -p {S} host", f"lftp -u a,{S} host", f"sshpass -p{S} ssh h",
    f"mariadb -p{S} x", f"confluent api-key store KEYID {S}", f"htpasswd -b .htpasswd me {S}",
    f"mc alias set m http://h KEY {S}", f"ksql -u me -p {S} http://k:8088", f"ssh-keygen -q -N {S} -f k",
    f"rabbitmqctl add_user me {S}", f"rabbitmqctl --node r change_password me {S}", f"kinit me <<< {S}",
    f"sudo -S ls <<< '{S}'", f"zkCli.sh -server z:2181 addauth digest me:{S}", f"cypher-shell -u neo4j -p {S}",
    f"elasticsearch-users useradd me -p {S}", f"docker login --password-stdin -u me <<<{S}",
    f"kcctl --basic-auth me:{S}", f"x --registry-credentials me:{S} list",
    f"cd a && curl \\\n  -u me:{S} \\\n  https://h",
    f"SSHPASS={S} sshpass -e ssh h", f"echo {S} | kinit me", f"printf '%s\\n' '{S}' | gh secret set TOKEN",
    f'expect -c "spawn ssh h; send \'{S}\\r\'"', f"databricks secrets put --scope a --key b --string-value {S}",
    f"az keyvault secret set --vault-name a --name b --value {S}", f"fly secrets set A=1 B={S}",
    f"gh auth login --with-token <<< {S}", f"gh secret set X --repo a/b --body={S}", f"cf login -u me -p {S}",
    f"ibmcloud login -u me -p '{S}'", f"ncftpput -u me -p {S} h", f"passwd kafka <<< '{S}'",
    f"docker secret create db - <<< {S}", f"pulumi config set --secret kafka:pw {S}",
)  # fmt: skip
HARMLESS = (
    "docker run -p 8080:80 image", "curl -s https://h/connectors", "mysql -h db -u root -p", "zip -r a.zip b",
    "curl -u $USER:$PASS https://h", "curl -b cookies.txt x | grep a", "vault read secret/x", "helm install x -p",
    "az group list", "sqlplus /nolog", "redis-cli ping", "aws configure list", "echo done | tee log", "7z x a.7z",
    "confluent kafka topic create orders", "rabbitmqctl list_users", "mc ls m/bucket/a/b", "ksql http://k:8088",
    "cat <<< orders", "htpasswd -D file me", "gh secret list", "gh secret set X --repo a/b --body-file x.txt",
    "az keyvault secret show --name a", "printf '%s' $TOKEN | docker login --password-stdin", "kinit -kt a.keytab me",
    "the login page counts logins -p", "helm upgrade -f secrets.yaml x", "pulumi config set kafka:partitions 3",
)  # fmt: skip
TOKENS = (
    "glrt-aB3dE6gH9kLmN2pQ5rSt", "npm_" + "aB3d" * 9, f"pypi-AgEIcHlwaS5vcmc{R}", f"dckr_pat_{R[:27]}",
    f"GOCSPX-{R[:28]}",
    f"sk-ant-api03-{R}{R}", f"sk-proj-{R}{R}", "hf_" + "aBcDeFgH" * 4 + "xY", "dop_v1_" + "ab12" * 16,
    "shpat_" + "ab12" * 8,
    f"glsa_{R}_ab12cd34", f"123456789:AA{R}a", f"ATATT3xFfGF0{R}{R}", f"xapp-1-A0123-1234567890-{R}",
    f"{R[:14]}.atlasv1.{R}{R}",
    "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE" * 2, "rubygems_" + "ab12" * 12, f"abc8Q~{R}ab",
    "PMAK-" + "ab12" * 6 + "-" + "ab12" * 9, "sbp_" + "ab12" * 10, "squ_" + "ab12" * 10, f"bkua_{R}aB12",
    "CCIPAT_AbCdEf1234_" + "ab12" * 10, f"figd_{R}aB12cD", "pul-" + "ab12" * 10, f"sq0csp-{R}", f"HRKU-{R}",
    "pat-na1-" + "ab12" * 2 + "-ab12-ab12-ab12-" + "ab12" * 3, f"acme_{R}aB12cD34",
)  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_a_secret_in_a_command_line_is_hidden(line: str) -> None:
    assert S not in mask_text(line)
    assert S not in mask_text(f"line 3 of deploy.sh: `{line}` was removed")


def test_what_follows_a_secret_on_its_line_stays() -> None:
    """A comment that quotes the line names the topic."""
    assert mask_text(f"kinit me <<< {S} && kafka-topics --delete --topic orders").endswith("--topic orders")


@pytest.mark.parametrize("line", HARMLESS)
def test_a_command_line_without_a_secret_stays(line: str) -> None:
    assert mask_commands(line, lambda _: "********") == line


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_of_a_known_service_is_hidden(token: str) -> None:
    assert token not in mask_text(f"could not use {token} here")


@pytest.mark.parametrize(
    "name",
    [
        "orders_4b1dc0ffee4b1dc0ffee4b1dc0ffee12", "connect_4b1dc0ffee-4b1d-4b1d-4b1d-c0ffee4b1dc0", "a_" + "b" * 60,
        "shop_order_placed_by_customer_of_the_shop_v2", "com_acme_orders_internal_statistics_daily",
        "app-4b1dc0ffee4b1dc0ffee4b1dc0ffee4b1dc0ffee",
    ],
)  # fmt: skip
def test_a_name_with_a_hash_or_many_words_is_no_token(name: str) -> None:
    assert mask_text(f"could not use {name} here") == f"could not use {name} here"


@pytest.mark.parametrize("program", _PROGRAMS)
def test_a_command_that_ends_in_an_option_stays(program: str) -> None:
    """A message may be cut anywhere: `curl -u` at its end raised an exception."""
    places = _PROGRAMS[program]
    for option in (*places.options, *places.logins, *places.pairs, *places.verbs, places.attached):
        for line in (f"{program} {option}", f"{program} x {option}=", f"{program} {option} '"):
            assert mask_commands(line, lambda _: "********") in (line, f"{line[:-1]}********")


@given(st.text(alphabet=st.sampled_from("curlmysqp -u'\"\\\n:=;|/@aP"), max_size=60))
def test_any_text_is_masked_once(text: str) -> None:
    """Masking again changes nothing, and nothing but secrets is lost."""
    masked = mask_commands(text, lambda _: "********")

    assert mask_commands(masked, lambda _: "********").count("********") == masked.count("********")
