// Counting reports: codes, and rows of packed bits.
#include <algorithm>
#include <array>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "loops.hpp"

namespace ldprange {
namespace {

constexpr std::size_t kChunk = 4096;         // codes checked together, then counted while they are in the cache
constexpr std::size_t kThreaded = 1u << 20;  // fewer codes or bytes than this are not worth a thread
constexpr std::size_t kAhead = 8;            // rows whose counts are fetched ahead
constexpr std::size_t kNarrow = 1u << 31;    // codes that 32-bit counters take before they are emptied

// Small tables are kept several times and take turns, so that equal neighbours do not wait for each other.
constexpr std::size_t kLanes = 4;

using Bits = std::array<std::array<std::uint8_t, 8>, 256>;  // of every byte

Bits all_bits() {
    Bits bits;
    for (unsigned byte = 0; byte < 256; ++byte)
        for (unsigned bit = 0; bit < 8; ++bit) bits[byte][bit] = byte >> bit & 1;
    return bits;
}

std::size_t lanes_for(std::size_t outputs) { return outputs <= (1u << 11) ? kLanes : 1; }

// Counts codes, all below `outputs`, into 32-bit counters, which take half the cache of 64-bit ones; the table has
// `outputs` of them for each lane.
void count_codes(const std::uint32_t* codes, std::size_t count, std::size_t outputs, std::size_t lanes,
                 std::uint32_t* table) {
    std::size_t i = 0;
    if (lanes == kLanes)
        for (; i + kLanes <= count; i += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) ++table[lane * outputs + codes[i + lane]];
    LDPRANGE_UNROLL
    for (; i < count; ++i) ++table[codes[i]];
}

}  // namespace

LDPRANGE_WIDEST
std::uint32_t greatest(const std::uint32_t* codes, std::size_t count) {
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, codes[i]);
    return most;
}

namespace {

void check(const std::uint32_t* codes, std::size_t count, std::size_t outputs, const char* what = "code") {
    const std::uint32_t most = greatest(codes, count);
    if (count && most >= outputs)
        throw std::invalid_argument("every " + std::string(what) + " must lie in [0, " + std::to_string(outputs) + "), got " +
                                    std::to_string(most));
}

}  // namespace

void tally(const std::uint32_t* codes, std::size_t count, std::int64_t* counts, std::size_t outputs,
           unsigned threads) {
    std::fill_n(counts, outputs, 0);
    if (count < 4 * outputs) {  // a table of its own would cost more than it saves
        for (std::size_t start = 0; start < count; start += kChunk) {
            const std::size_t number = std::min(kChunk, count - start);
            check(codes + start, number, outputs);
            for (std::size_t i = 0; i < number; ++i) ++counts[codes[start + i]];
        }
        return;
    }
    std::mutex adding;
    const std::size_t lanes = lanes_for(outputs);
    in_threads(count, kThreaded, threads, [&](std::size_t begin, std::size_t end) {
        while (begin < end) {
            std::vector<std::uint32_t> table(lanes * outputs);
            for (const std::size_t stop = std::min(end, begin + kNarrow); begin < stop;) {
                const std::size_t number = std::min(kChunk, stop - begin);
                check(codes + begin, number, outputs);
                count_codes(codes + begin, number, outputs, lanes, table.data());
                begin += number;
            }
            const std::lock_guard<std::mutex> alone(adding);
            for (std::size_t lane = 0; lane < lanes; ++lane)
                for (std::size_t code = 0; code < outputs; ++code) counts[code] += table[lane * outputs + code];
        }
    });
}

void sum_unary(const std::uint8_t* packed, std::size_t rows, std::size_t width, std::int64_t* counts,
               std::size_t cells, unsigned threads) {
    const Bits bits = all_bits();
    std::array<std::uint64_t, 256> spread;  // a byte's bits, each in a byte of its own
    for (std::size_t byte = 0; byte < 256; ++byte) {
        spread[byte] = 0;
        for (unsigned bit = 0; bit < 8; ++bit) spread[byte] |= std::uint64_t{bits[byte][bit]} << 8 * bit;
    }
    std::fill_n(counts, cells, 0);
    const std::size_t grain = std::max<std::size_t>(8, kThreaded / std::max<std::size_t>(1, rows));
    in_threads(width, grain, threads, [&](std::size_t begin, std::size_t end) {
        std::vector<std::uint64_t> sums(end - begin);
        for (std::size_t row = 0; row < rows;) {
            const std::size_t stop = std::min(rows, row + 255);  // a byte counts no further
            std::fill(sums.begin(), sums.end(), 0);
            for (; row < stop; ++row) {
                const std::uint8_t* bytes = packed + row * width + begin;
                for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += spread[bytes[i]];
            }
            for (std::size_t i = 0; i < sums.size(); ++i)
                for (std::size_t bit = 0, cell = 8 * (begin + i); bit < 8 && cell < cells; ++bit, ++cell)
                    counts[cell] += static_cast<std::int64_t>(sums[i] >> 8 * bit & 255);
        }
    });
}

// Adds the bits of rows of bytes to the counts of their groups.
LDPRANGE_WIDEST
void add_bits(const std::uint8_t* packed, const std::uint32_t* groups, std::size_t rows, std::int64_t* counts,
              std::size_t cells, const Bits& bits) {
    const std::size_t whole = cells / 8, width = (cells + 7) / 8;
    for (std::size_t row = 0; row < rows; ++row) {
        if (row + kAhead < rows) {
            const std::int64_t* soon = counts + groups[row + kAhead] * cells;
            for (std::size_t at = 0; at < cells; at += 8) LDPRANGE_FETCH(soon + at);
        }
        const std::uint8_t* bytes = packed + row * width;
        std::int64_t* into = counts + groups[row] * cells;
        for (std::size_t byte = 0; byte < whole; ++byte, into += 8) {
            const auto each = bits[bytes[byte]];  // a copy, which no count is part of
            for (unsigned bit = 0; bit < 8; ++bit) into[bit] += each[bit];
        }
        unsigned left = cells % 8 ? bytes[whole] : 0;
        for (const std::int64_t* end = into + cells % 8; into != end; ++into, left >>= 1) *into += left & 1;
    }
}

void sum_unary_groups(const std::uint8_t* packed, const std::uint32_t* groups, std::size_t rows,
                      std::int64_t* counts, std::size_t number, std::size_t cells) {
    std::fill_n(counts, number * cells, 0);
    check(groups, rows, number, "group");
    add_bits(packed, groups, rows, counts, cells, all_bits());
}

}  // namespace ldprange
