"""Whose question is answered next: few at a time, addresses by turns, in lines that have an end."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable

from anyio import CapacityLimiter, to_thread

from ldprange.service.refusal import Refusal

_AT_ONCE = 2  # questions of each kind of asker
_MAX_WAITING = 64
_MAX_EACH = 8  # that one address has waiting
_RETRY = {"retry-after": "5"}


class Lane:
    """A few threads that answer questions, and who waits for them."""

    def __init__(self) -> None:
        self._free = _AT_ONCE
        self._threads = CapacityLimiter(_AT_ONCE)
        # whose turn is next, first
        self._turns: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self.waiting = 0
        self.refused = 0

    async def answer(self, address: str, work: Callable[[], bytes]) -> bytes:
        """Return the answer to an address's question when it is its turn, worked out beside the loop."""
        await self._turn(address)
        try:
            return await to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._next()

    async def _turn(self, address: str) -> None:
        if self._free:
            self._free -= 1
            return
        if self.waiting >= _MAX_WAITING or len(self._turns.get(address, ())) >= _MAX_EACH:
            self.refused += 1
            raise Refusal(503, "too many questions wait to be answered; ask again later", dict(_RETRY))
        turn = asyncio.get_running_loop().create_future()
        self._turns.setdefault(address, deque()).append(turn)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it had come already, and is somebody else's now
                self._next()
            raise

    def _next(self) -> None:
        """Give a turn that ended to whoever waits longest, of the address that had none for longest."""
        while self._turns:
            address, own = self._turns.popitem(last=False)
            turn = own.popleft()
            self.waiting -= 1
            if own:
                self._turns[address] = own
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class Turns:
    """The lane of those with a token, and the lane of everybody else, who may ask about public surveys."""

    def __init__(self) -> None:
        self.lanes = {"token": Lane(), "anonymous": Lane()}

    async def answer(self, address: str, has_token: bool, work: Callable[[], bytes]) -> bytes:
        """Return the answer to a question of an address, in its lane."""
        return await self.lanes["token" if has_token else "anonymous"].answer(address, work)
