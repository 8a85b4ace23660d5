import os
from dataclasses import dataclass, field
from pyspark.sql.functions import col, from_json


@dataclass(frozen=True)
class Settings:
    topic: str = field(default="auth.logins")
    columns: tuple = ("uid", "ip")
    table: str = os.getenv("TABLE", "sec.logins")

    @property
    def schema(self):
        return ", ".join(f"{name} STRING" for name in (*self.columns, "agent"))

    @classmethod
    def load(cls):
        return cls()


class Job:
    def __init__(self, settings):
        self._settings = settings
        self._frame = None

    def read(self):
        self._frame = spark.readStream.format("kafka").option("subscribe", self._settings.topic).load()
        return self

    def parse(self):
        self._frame = self._frame.select(from_json(col("value").cast("string"), self._settings.schema).alias("v")).select("v.*")
        return self

    def narrow(self):
        self._frame = self._frame[list(self._settings.columns)]
        return self

    def write(self):
        self._frame.writeStream.format("delta").option("checkpointLocation", "/c").toTable(self._settings.table)


Job(Settings.load()).read().parse().narrow().write()
