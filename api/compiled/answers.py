"""The place of one request for what is compiled: objects ready for JSON, by path."""

from collections.abc import Callable, Sequence
from typing import Any

from api.compiled.asking import Asking
from api.compiled.columns import Columns, columns_of
from api.compiled.compiler import Compiler
from api.compiled.fetched_parts import edges_of
from api.compiled.refusals import NotCompiled, Unfit
from api.compiled.sources import ROWS
from api.connections import Listing
from api.context import Info
from api.selections import Choice, Selected


class CompiledAnswers:
    """What compiled selections came to in one request.

    A field that is taken answers nothing itself (an empty list, or null where it may): what it
    comes to stands here and is put in afterwards. After something did not fit, all else of the
    request goes the ordinary way: one fault must not be looked for on every level again.
    """

    def __init__(self, compiler: Compiler) -> None:
        """Begin with nothing taken."""
        self._compiler = compiler
        self._taken: list[tuple[list[str | int], Any]] = []
        self._unfit = False

    async def take_list(self, info: Info, rows: Sequence[Any]) -> bool:
        """Take a field that answers *rows*; false: it must answer them itself."""
        return await self._take(info, lambda named, _: columns_of(rows, ROWS[named]))

    async def take_edges(self, info: Info, listing: Listing) -> bool:
        """Take the edges of a connection."""
        page = await listing.page()

        def columns(named: str, selected: Selected) -> Columns:
            row_type = ROWS.get(self._compiler.answered(named, "node").named.name)
            if row_type is None:
                # The plan can lack it: a node that is skipped is never looked at.
                raise NotCompiled
            return edges_of(
                [listing.owner],
                [page],
                listing.question,
                row_type,
                with_cursors=any(
                    field.name == "cursor" for field in selected.fields(named).values()
                ),
            )

        return await self._take(info, columns)

    async def take_object(self, info: Info, row: object) -> bool:
        """Take a field that answers a row and may be null."""
        return await self._take(info, lambda named, _: columns_of([row], ROWS[named]), single=True)

    def put_into(self, data: Any) -> None:  # noqa: ANN401 - the data of an answer
        """Put what was taken into its places, unless an error has made something above null."""
        for path, objects in self._taken:
            place = data
            for key in path[:-1]:
                if place is None:
                    break
                place = place[key]
            if place is not None and place[path[-1]] in ([], None):
                place[path[-1]] = objects

    async def _take(
        self,
        info: Info,
        columns: Callable[[str, Selected], Columns],
        *,
        single: bool = False,
    ) -> bool:
        selections = info.context.selections
        selected, choice = None if self._unfit else selections.at(info.path), selections.choice
        if selected is None or choice is None or not selected.plain:
            return False
        try:
            answer = self._compiler.answered(info.path.typename or "", selected.name)
            plan = self._compiler.plan(selected, answer.named.name)
            rows = columns(answer.named.name, selected)
            made = await plan.objects(rows, _asking(info, choice))
        except NotCompiled:
            return False
        except Unfit:
            self._unfit = True
            return False
        self._taken.append((info.path.as_list(), made[0] if single else made))
        return True


def _asking(info: Info, choice: Choice) -> Asking:
    path = info.path.as_list()
    return Asking(
        graph=info.context.graph,
        choice=choice,
        loaders=info.context.loaders,
        variables=info.variable_values,
        place=tuple(key for key in reversed(path) if isinstance(key, str)),
        complete=all(isinstance(key, str) for key in path),
    )
