"""Columns of tables as arrays: delimited text and Parquet, read as a stream."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import tee
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
from numpy.typing import NDArray

from ldprange.domain import Domain
from ldprange.domain.extended import one_value_of, words_of
from ldprange.errors import DomainError, FileError
from ldprange.files.parquet_pages import check_pages, damaged
from ldprange.support.checking import listed, shown
from ldprange.support.columns import check_columns
from ldprange.support.left_out import Skipped

DELIMITERS = {".csv": ",", ".tsv": "\t"}
_SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}
_BLOCK_BYTES = 1 << 20
_BATCH_ROWS = 1 << 18
_NEVER = "\x1f"  # the unit separator: a plain column has no delimiter, but the reader wants one
_MAX_LINE_LENGTH = 1 << 20
_MAX_REASON_LENGTH = 1 << 8
_WORDS_FOR_NOTHING = pa.array(["NaN", "nan", "NA", "N/A", "null", "NULL", "None", "NaT"])


Column = Iterator[NDArray[Any]]
"""Of people's values, piece by piece."""

_Rows = Sequence[int] | NDArray[np.intp]
_Numbered = tuple[pa.RecordBatch, _Rows]  # rows, and the number that each has in its file


def plain_values(file: BinaryIO, domain: Domain, skipped: Skipped | None = None) -> Column:
    """Yield the values of a text with one value a line."""
    parsing = pyarrow.csv.ParseOptions(delimiter=_NEVER, quote_char=False, ignore_empty_lines=False)
    (column,) = _columns(_without_words(_plain_batches(file, parsing), domain), domain, skipped)
    return column


def _plain_batches(file: BinaryIO, parsing: pyarrow.csv.ParseOptions) -> Iterator[pa.RecordBatch]:
    first = 1
    # block by block, because a reader that waits for standard input by itself cannot be interrupted
    for block in _whole_lines(file):
        for rows in delimited_batches(io.BytesIO(block), ["value"], {"value": pa.string()}, parsing, first):
            yield rows
            first += len(rows)


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield a text in blocks that end with a line."""
    rest = b""
    while block := file.read(_BLOCK_BYTES):
        cut = block.rfind(b"\n") + 1
        if cut:
            yield rest + block[:cut]
            rest = block[cut:]
        else:
            rest += block
        if len(rest) > _MAX_LINE_LENGTH:
            raise FileError("the file must be text with one value a line, and it is something else")
    if rest:
        yield rest


def delimited_values(
    file: BinaryIO, delimiter: str, column: str | None, domain: Domain, skipped: Skipped | None = None
) -> list[Column]:
    """Return a column of a text table with a header, or one for each attribute."""
    names = read_header(file, delimiter)
    check_separator(names, delimiter, column)
    chosen = _choose(names, column, domain)
    if column is None and len(names) == 1 and _is_a_value(names[0], domain):
        raise FileError(
            f"the first line must be a header with the column's name, got the value {names[0]}; "
            "add a header, or rename the file to .txt"
        )
    parsing = pyarrow.csv.ParseOptions(delimiter=delimiter, ignore_empty_lines=False, newlines_in_values=True)
    batches = delimited_batches(file, names, dict.fromkeys(chosen, pa.string()), parsing)
    return _columns(_without_words(batches, domain), domain, skipped)


def parquet_values(
    file: BinaryIO, column: str | None, domain: Domain, skipped: Skipped | None = None
) -> list[Column]:
    """Return a column of a Parquet file, or one for each attribute."""
    chosen = _choose(open_parquet(file).schema_arrow.names, column, domain)
    longest = max(each.longest for each in domain.attributes.values())
    return _columns(parquet_batches(file, chosen, longest), domain, skipped)


def _columns(batches: Iterator[pa.RecordBatch], domain: Domain, skipped: Skipped | None) -> list[Column]:
    attributes = domain.attributes
    needed = [name or 0 for name, each in attributes.items() if not each.optional]
    copies = tee(_numbered(batches, needed, skipped), len(attributes))
    return [_typed(copy, name, each) for (name, each), copy in zip(attributes.items(), copies, strict=True)]


def _without_words(batches: Iterator[pa.RecordBatch], domain: Domain) -> Iterator[pa.RecordBatch]:
    """Yield texts with nothing where one says so in a word; any word may be a label, though."""
    spoken = [name or 0 for name, each in domain.attributes.items() if each.plain.column != "labels"]
    for rows in batches:
        for name in spoken:
            at = rows.schema.get_field_index(name) if name else 0
            nothing = pc.is_in(pc.utf8_trim_whitespace(rows.column(at)), _WORDS_FOR_NOTHING)
            rows = rows.set_column(at, rows.schema.field(at), pc.if_else(nothing, None, rows.column(at)))
        yield rows


def _numbered(
    batches: Iterable[pa.RecordBatch], needed: Sequence[str | int], skipped: Skipped | None
) -> Iterator[_Numbered]:
    """Yield rows with their numbers, from 1; without those that lack a ``needed`` value, if ``skipped``."""
    first = 1
    for batch in batches:
        numbers: _Rows = range(first, first + len(batch))
        first += len(batch)
        if skipped is not None:
            empty = [batch.column(name).is_null(nan_is_null=True) for name in needed]
            missing = np.any([column.to_numpy(zero_copy_only=False) for column in empty], axis=0)
            if missing.any():
                skipped(int(np.count_nonzero(missing)))
                batch, numbers = batch.filter(pa.array(~missing)), np.asarray(numbers)[~missing]
        yield batch, numbers


def read_header(file: BinaryIO, delimiter: str) -> list[str]:
    """Read the first line of a text table, and no more; no names if the file is empty."""
    lines = iter(lambda: file.readline(_MAX_LINE_LENGTH), b"")
    try:
        return next(csv.reader((line.decode("utf-8-sig") for line in lines), delimiter=delimiter), [])
    except (UnicodeDecodeError, csv.Error):
        raise FileError("the file must be a table in UTF-8 text, and it is something else") from None


def delimited_batches(
    file: BinaryIO,
    names: Sequence[str],
    types: dict[str, Any],
    parsing: pyarrow.csv.ParseOptions,
    first: int = 1,
) -> Iterator[pa.RecordBatch]:
    """Yield the columns in ``types`` of a text table whose header was already read, from row ``first`` on."""
    # a reader with threads takes as long, and cannot tell in which row an error is
    reading = pyarrow.csv.ReadOptions(column_names=list(names), block_size=_BLOCK_BYTES, use_threads=False)
    converting = pyarrow.csv.ConvertOptions(
        include_columns=list(types), column_types=types, null_values=[""], strings_can_be_null=True
    )
    try:
        yield from pyarrow.csv.open_csv(
            file, read_options=reading, parse_options=parsing, convert_options=converting
        )
    except pa.ArrowException as error:
        if "Empty CSV file" in str(error):
            return
        reason = re.sub(r"Row #(\d+)", lambda row: f"row {int(row[1]) + first - 1}", _first_line(error))
        raise FileError(f"the table cannot be read: {reason}") from None


def open_parquet(file: BinaryIO, dictionaries: Sequence[str] = ()) -> pyarrow.parquet.ParquetFile:
    """Open a Parquet file so that reading it takes little memory and notices damage.

    Columns in ``dictionaries`` are not unfolded: they come as indices into their different values.
    """
    try:
        table = pyarrow.parquet.ParquetFile(
            file, pre_buffer=False, page_checksum_verification=True, read_dictionary=list(dictionaries)
        )
        table.schema_arrow.names  # noqa: B018 (names are decoded only when they are asked for)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damaged(_first_line(error)) from None
    return table


def parquet_batches(
    file: BinaryIO, columns: Sequence[str], longest: int, rows: int = _BATCH_ROWS, groups: range | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield columns of a Parquet file, or of some of its row groups, at most ``rows`` rows at a time.

    A value of more than ``longest`` bytes is an error, before any is read that takes more memory than that.
    """
    read, metadata = 0, open_parquet(file).metadata
    chosen = range(metadata.num_row_groups) if groups is None else groups
    expected = sum(metadata.row_group(group).num_rows for group in chosen)
    unfolding = check_pages(file, columns, chosen, longest)
    table, rows = open_parquet(file, unfolding.dictionaries), min(rows, unfolding.rows)
    try:
        for batch in table.iter_batches(batch_size=rows, row_groups=list(chosen), columns=list(columns)):
            read += len(batch)
            yield _unfolded(batch, unfolding.dictionaries, longest)
    except (pa.ArrowException, OSError) as error:
        raise damaged(_first_line(error)) from None
    # some damage makes the reader stop early without a word
    if read != expected:
        raise damaged(f"{read} rows instead of {expected}")


def _unfolded(batch: pa.RecordBatch, dictionaries: Sequence[str], longest: int) -> pa.RecordBatch:
    """Return a batch whose columns in ``dictionaries`` are values, none of more than ``longest`` bytes."""
    for name in dictionaries:
        column = batch.column(name)
        if (pc.max(pc.binary_length(column.dictionary)).as_py() or 0) > longest:
            raise FileError(f"values of column {name} must have at most {longest} bytes, and some have more")
        batch = batch.set_column(batch.schema.get_field_index(name), name, column.dictionary_decode())
    return batch


def _first_line(error: Exception) -> str:
    # of a line with too many fields Arrow shows all of them
    return re.sub(r"(got \d+): .*", r"\1", str(error).strip().split("\n")[0])[:_MAX_REASON_LENGTH]


def check_separator(names: Sequence[str], delimiter: str, column: str | None) -> None:
    """Raise FileError if a table of a single column seems to be separated by something other than commas."""
    if len(names) != 1 or column == names[0]:
        return
    for mark in ";", "\t":  # a comma may well be part of a name
        if mark in names[0]:
            raise FileError(
                f"the separator must be a {_SEPARATORS[delimiter]}, and the header shows "
                f"{_SEPARATORS[mark]}s: {names[0]:.100}; export the table again"
            )


def _choose(names: Sequence[str], column: str | None, domain: Domain) -> Sequence[str]:
    """Return the column that is meant, or those of all attributes."""
    there = listed(names)
    if not names:
        raise FileError("the file must be a table with a header, and it is empty")
    if "" not in domain.attributes:
        chosen = list(domain.attributes)
    elif column is None and len(names) > 1:
        raise FileError(f"the table has several columns, so choose one with --column: {there}")
    else:
        chosen = [names[0] if column is None else column]
    check_columns(names, chosen, FileError, "table")
    return chosen


def _is_a_value(name: str, domain: Domain) -> bool:
    try:
        domain.parse(name)
    except DomainError:
        return False
    return True


def typed(batches: Iterable[pa.RecordBatch], domain: Domain) -> Column:
    """Turn batches of one column into arrays that the domain takes; say in which row a value cannot be."""
    (column,) = _columns(iter(batches), domain, None)
    return column


def _typed(batches: Iterable[_Numbered], name: str, domain: Domain) -> Column:
    """Turn the column called ``name``, or the only one, into arrays that its ``domain`` takes."""
    wanted, convert, words = one_value_of(domain), _CONVERSIONS[domain.plain.column], words_of(domain)
    if words and domain.plain.column != "labels":  # which are words anyway
        convert = partial(_or_words, convert, words)
    if domain.optional:
        wanted, convert = f"{wanted} (or nothing)", partial(_some, convert)
    where = f" in {name}" if name else ""
    for rows, numbers in batches:
        array = rows.column(name or 0)
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if _is_text(array.type):
            _check_text(array, where, numbers)
        if array.null_count and not domain.optional:
            missing = int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
            raise FileError(
                f"every row must have {wanted}{where}, and row {numbers[missing]} has none; "
                "leave such people out (--missing skip)"
            )
        try:
            yield convert(array)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            at = first_failure(array, convert)
            raise FileError(
                f"every row must have {wanted}{where}, and row {numbers[at]} has {shown(str(array[at]))}; "
                "correct it, or leave such people out"
            ) from None


def _check_text(array: pa.Array, where: str, numbers: _Rows) -> None:
    """Raise FileError unless all of an ``array`` is UTF-8, which Parquet promises and nobody checks."""
    try:
        _validate(array)
    except pa.ArrowInvalid:
        at = first_failure(array, _validate)
        raise FileError(
            f"every text{where} must be UTF-8, and the one in row {numbers[at]} is not; write the file again"
        ) from None


def _validate(array: pa.Array) -> None:
    array.validate(full=True)


def first_failure(
    array: pa.Array | pa.RecordBatch,
    convert: Callable[[Any], Any],
    errors: tuple[type[Exception], ...] = (pa.ArrowInvalid, pa.ArrowNotImplementedError),
) -> int:
    """Return the first position whose value cannot be converted, by halving."""
    low, high = 0, len(array)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            convert(array[low:middle])
        except errors:
            high = middle
        else:
            low = middle
    return low


def _numbers(array: pa.Array) -> NDArray[Any]:
    if _is_text(array.type):
        text = pc.utf8_trim_whitespace(array)
        try:
            array = text.cast(pa.int64())
        except pa.ArrowInvalid:
            array = text.cast(pa.float64())
    elif pa.types.is_decimal(array.type):
        array = array.cast(pa.float64())
    elif not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        raise pa.ArrowInvalid("not numbers")
    numbers: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    if numbers.dtype.kind == "f" and np.any(np.isnan(numbers)):
        raise pa.ArrowInvalid("not a number")
    return numbers


def _dates(array: pa.Array) -> NDArray[Any]:
    if _is_text(array.type):
        array = pc.utf8_trim_whitespace(array)
    elif not pa.types.is_temporal(array.type) or pa.types.is_time(array.type):
        raise pa.ArrowInvalid("not dates")
    dates: NDArray[Any] = array.cast(pa.date32()).to_numpy(zero_copy_only=False)
    return dates


def _labels(array: pa.Array) -> NDArray[Any]:
    if not (_is_text(array.type) or pa.types.is_integer(array.type)):
        raise pa.ArrowInvalid("not labels")
    # one string object per different label, not per person
    encoded = array.cast(pa.string()).dictionary_encode()
    labels: NDArray[Any] = np.array(encoded.dictionary.to_pylist(), np.str_)
    return labels[encoded.indices.to_numpy(zero_copy_only=False)] if len(array) else labels


def _or_words(
    convert: Callable[[pa.Array], NDArray[Any]], words: Mapping[str, Any], array: pa.Array
) -> NDArray[Any]:
    """Return the values of a column in which some may be ``words``, each as what it may be written as."""
    try:
        return convert(array)
    except pa.ArrowInvalid:
        if not _is_text(array.type):
            raise
    text = pc.utf8_trim_whitespace(array)
    spoken = {word: pc.equal(text, word).to_numpy(zero_copy_only=False) for word in words}
    plain = ~np.any(list(spoken.values()), axis=0)
    known = convert(text.filter(pa.array(plain)))
    values = np.empty(plain.size, known.dtype if known.dtype.kind == "M" else np.float64)
    values[plain] = known
    for word, here in spoken.items():
        values[here] = words[word]
    return values


def _some(convert: Callable[[pa.Array], NDArray[Any]], array: pa.Array) -> NDArray[Any]:
    """Return the values of a column in which some are missing, as NaN, NaT or None."""
    there = array.is_valid().to_numpy(zero_copy_only=False)
    known = convert(array.drop_null())
    if known.dtype.kind == "M":
        values = np.full(there.size, np.datetime64("NaT"), known.dtype)
    else:
        values = np.full(there.size, None) if known.dtype.kind == "U" else np.full(there.size, np.nan)
    values[there] = known
    return values


_CONVERSIONS = {"numbers": _numbers, "dates": _dates, "labels": _labels}


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
