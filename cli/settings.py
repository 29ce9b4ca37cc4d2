"""What can be set, by environment, ``.env`` file or flag; `docs/settings.md` is its table."""

from __future__ import annotations

import re
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from graph.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_core import ErrorDetails

NEO4J_ADDRESS = re.compile(r"(bolt|neo4j)(\+s|\+ssc)?://[^/\s]+/?")

OWN_NAMES = ("localhost", "127.0.0.1", "[::1]")
"""The names by which a machine calls itself."""

Port = Annotated[int, Field(ge=0, le=65_535)]


class Settings(BaseSettings):
    """Every setting and its default; the name of a variable is the field's in capitals.

    A flag wins over the environment, the environment over the file ``.env`` in the current
    folder. An empty value counts as not set.
    """

    model_config = SettingsConfigDict(
        env_file=".env",
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
    )

    neo4j_uri: str | None = Field(
        default=None,
        description="The Neo4j to use, such as `neo4j://graph.example:7687` or "
        "`neo4j+s://….databases.neo4j.io`. Without it, a local one is started.",
    )
    neo4j_user: str = Field(default="neo4j", description="The user at `NEO4J_URI`.")
    neo4j_password: SecretStr = Field(
        default=SecretStr(""), description="The password at `NEO4J_URI`."
    )
    neo4j_database: str = Field(
        default="neo4j", description="The name of the database at `NEO4J_URI`."
    )
    lineage_data: Path = Field(
        default_factory=lambda: platformdirs.user_data_path("thread-lineage"),
        description="The folder of the local Neo4j's data. The default is the user's data "
        "folder, on Linux `~/.local/share/thread-lineage`.",
    )
    lineage_host: str = Field(
        default="127.0.0.1",
        description="The address to serve on. One that others can reach needs `--insecure`.",
    )
    lineage_port: Port = Field(
        default=8484, description="The port to serve on; 0 takes a free one."
    )
    lineage_allowed_hosts: str | None = Field(
        default=None,
        description="The names that the service may be asked by, with commas between. The default "
        "is this machine's own names where it serves to this machine alone, which keeps out web "
        "pages whose name is made to lead here, and else every name. A proxy in front of it needs "
        "its own name here.",
    )
    lineage_read_only: bool = Field(
        default=False, description="Whether the service only answers questions."
    )
    lineage_introspection: bool = Field(
        default=True, description="Whether clients may ask for the schema and see GraphiQL."
    )
    lineage_max_body_bytes: int = Field(
        default=1 << 20, ge=1, description="The largest request body that is read."
    )
    lineage_receipts_days: int = Field(
        default=90,
        ge=0,
        le=36_500,
        description="How long the service keeps the receipts of commands, by which one that is "
        "sent again is done once; a command that is sent again later is a new one. 0 keeps them "
        "for good.",
    )
    lineage_kept_answers_bytes: int = Field(
        default=64 << 20,
        ge=0,
        description="How much memory the service may use to keep answers that are asked for "
        "again; each is given again only while the trees that it rests on have not changed. 0 "
        "keeps none.",
    )
    lineage_import_workers: int | None = Field(
        default=None,
        ge=0,
        le=64,
        description="How many processes read transcripts in a large import; 0 reads in the "
        "importing process. The default follows the number of processors.",
    )
    lineage_database_idle_seconds: int = Field(
        default=900,
        ge=1,
        description="How long the local Neo4j stays up when nobody uses it.",
    )
    lineage_database_port: Port = Field(
        default=0, description="The port of the local Neo4j; 0 takes a free one."
    )
    lineage_database_full_compiler: bool | None = Field(
        default=None,
        description="Whether the local Neo4j compiles what runs often as well as it can: queries "
        "become about three times faster, a start with few processors takes some seconds longer. "
        "The default is yes from four processors on.",
    )
    lineage_maven_url: str | None = Field(
        default=None,
        description="A mirror of Maven Central for the first start of the local Neo4j.",
    )

    @field_validator("neo4j_uri")
    @classmethod
    def _is_neo4j_address(cls, value: str | None) -> str | None:
        if value is not None and NEO4J_ADDRESS.fullmatch(value) is None:
            message = "it should look like neo4j://host:7687 (or bolt://, neo4j+s://, bolt+s://)"
            raise ValueError(message)
        return value

    @field_validator("lineage_data")
    @classmethod
    def _expand_home(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @property
    def allowed_hosts(self) -> tuple[str, ...]:
        """The names that the service may be asked by; ``*`` is every one."""
        if self.lineage_allowed_hosts is not None:
            names = (name.strip() for name in self.lineage_allowed_hosts.split(","))
            return tuple(name for name in names if name)
        if not self.serves_loopback_only:
            return ("*",)
        host = f"[{self.lineage_host}]" if ":" in self.lineage_host else self.lineage_host
        return (*OWN_NAMES, host)

    @property
    def serves_loopback_only(self) -> bool:
        """Whether only programs on this machine can reach the served address."""
        if self.lineage_host == "localhost":
            return True
        try:
            return ip_address(self.lineage_host).is_loopback
        except ValueError:
            return False


def read_settings(flags: Mapping[str, object] | None = None) -> Settings:
    """The settings of this run; *flags* that are ``None`` were not given.

    Raises ``BadInput`` with a line for each value that can't be right.
    """
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    try:
        return Settings.model_validate(given)
    except ValidationError as invalid:
        raise BadInput("\n".join(map(_explain, invalid.errors()))) from invalid


def _explain(error: ErrorDetails) -> str:
    """One line on one wrong value; a password's value is not shown."""
    if not error["loc"]:
        return "The file .env in this folder is not UTF-8 text."
    name = str(error["loc"][0])
    shown = "" if name == "neo4j_password" else f" is {str(error['input'])!r}"
    reason = error["msg"].removeprefix("Value error, ")
    return f"{name.upper()}{shown}: {reason[0].lower()}{reason[1:]}."
