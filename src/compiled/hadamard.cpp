// Hadamard hashing (see the oracle): its hash, many people's reports with seeded coins, and what reports support.
#include <algorithm>
#include <array>
#include <vector>

#include "coins.hpp"
#include "kernels.hpp"
#include "loops.hpp"

namespace ldprange {
namespace {

// Multiplies every digit by x modulo x^t + x + 1; `top` is t − 1, `lowest` has the lowest bit of every digit.
inline std::uint32_t times_x(std::uint32_t power, unsigned top, std::uint32_t lowest) {
    const std::uint32_t carry = (power >> top) & lowest;
    return ((power ^ (carry << top)) << 1) ^ carry ^ (carry << 1);
}

// The index of a line: its highest digit that is not 0 is the highest of (g − 1)·line + 1, and is 1; `most` is g − 1.
inline std::uint32_t index_of(std::uint32_t line, unsigned bits, std::uint32_t most, std::uint32_t lowest) {
    std::uint32_t ones = line * most + 1;  // then: as many as this has bits
    ones |= ones >> 1;
    ones |= ones >> 2;
    ones |= ones >> 4;
    ones |= ones >> 8;
    ones |= ones >> 16;
    const std::uint32_t unit = lowest & ones & ~(ones >> bits);
    return line - (lowest & (unit - 1)) + unit;
}

inline std::uint32_t scatter(std::uint32_t item, std::uint32_t mask, unsigned half) {
    item ^= item >> half;
    item = (item * 0x9E3779B1u) & mask;
    item ^= item >> half;
    item = (item * 0x85EBCA6Bu) & mask;
    return item ^ (item >> half);
}

}  // namespace

LDPRANGE_WIDEST
void hash_hadamard(const std::uint32_t* index, const std::uint32_t* items, std::uint32_t* symbols,
                   std::size_t count, unsigned bits, std::uint32_t lowest) {
    std::array<std::uint32_t, kTogether> power;
    for (std::size_t at = 0; at < count; at += kTogether) {
        const std::size_t here = std::min(kTogether, count - at);
        LDPRANGE_INDEPENDENT
        for (std::size_t i = 0; i < here; ++i) {
            power[i] = index[at + i];
            symbols[at + i] = parity(power[i] & items[at + i]);
        }
        for (unsigned r = 1; r < bits; ++r) {
            LDPRANGE_INDEPENDENT
            for (std::size_t i = 0; i < here; ++i) {
                power[i] = times_x(power[i], bits - 1, lowest);
                symbols[at + i] |= parity(power[i] & items[at + i]) << r;
            }
        }
    }
}

std::uint32_t hash_to_symbol(std::uint32_t line, std::uint32_t item, unsigned bits, unsigned digits) {
    const unsigned length = bits * digits;
    const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{1} << length) - 1);
    const std::uint32_t most = (1u << bits) - 1, lowest = mask / most;
    const std::uint32_t place = bits > 1 ? scatter(item, mask, (length + 1) / 2) : item;
    std::uint32_t power = index_of(line, bits, most, lowest), symbol = parity(power & place);
    for (unsigned r = 1; r < bits; ++r) {
        power = times_x(power, bits - 1, lowest);
        symbol |= parity(power & place) << r;
    }
    return symbol;
}

LDPRANGE_WIDEST
void scattered_places(const std::uint32_t* items, std::uint32_t* places, std::size_t count, std::uint32_t mask,
                      unsigned half) {
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) places[i] = scatter(items[i], mask, half);
}

LDPRANGE_WIDEST
void line_indices(const std::uint32_t* lines, std::uint32_t* index, std::size_t count, unsigned bits,
                  std::uint32_t most, std::uint32_t lowest) {
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) index[i] = index_of(lines[i], bits, most, lowest);
}

LDPRANGE_WIDEST
void join_codes(const std::uint32_t* lines, std::uint32_t* codes, std::size_t count, unsigned bits) {
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) codes[i] |= lines[i] << bits;
}

void encode_hadamard(std::uint64_t* state, const std::uint32_t* items, std::uint32_t* codes, std::size_t count,
                     unsigned bits, unsigned digits, std::uint32_t threshold) {
    Generator generator(state);
    const unsigned length = bits * digits;
    const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{1} << length) - 1);
    const std::uint32_t most = (1u << bits) - 1, lowest = mask / most;  // and as many lines
    std::array<std::uint32_t, kTogether> lines, index, places;
    for (std::size_t at = 0; at < count; at += kTogether) {
        const std::size_t here = std::min(kTogether, count - at);
        draw_below(generator, lines.data(), here, lowest);
        line_indices(lines.data(), index.data(), here, bits, most, lowest);
        const std::uint32_t* place = items + at;
        if (bits > 1) {
            scattered_places(place, places.data(), here, mask, (length + 1) / 2);
            place = places.data();
        }
        hash_hadamard(index.data(), place, codes + at, here, bits, lowest);
        respond(generator, codes + at, here, 1u << bits, threshold);
        join_codes(lines.data(), codes + at, here, bits);
    }
}

namespace {

// Puts the sum over a line's symbols of their counts, with the signs of every subset of a symbol's bits, where that
// subset of the line's powers points. Together the lines point everywhere but at 0, which has the sum of all counts.
void gather_coefficients(const std::int64_t* counts, double* coefficients, unsigned bits, std::uint32_t lowest) {
    const std::uint32_t symbols = 1u << bits;
    std::vector<double> sums(symbols);
    std::vector<std::uint32_t> places(symbols);
    double total = 0;
    for (std::uint32_t line = 0; line < lowest; ++line, counts += symbols) {
        for (std::uint32_t s = 0; s < symbols; ++s) sums[s] = static_cast<double>(counts[s]);
        std::uint32_t power = index_of(line, bits, symbols - 1, lowest);
        for (std::uint32_t unit = 1; unit < symbols; unit *= 2, power = times_x(power, bits - 1, lowest))
            for (std::uint32_t s = 0; s < symbols; s += 2 * unit)
                for (std::uint32_t low = s; low < s + unit; ++low) {
                    const double one = sums[low], other = sums[low + unit];
                    sums[low] = one + other;
                    sums[low + unit] = one - other;
                    if (!s) places[low + unit] = places[low] ^ power;
                }
        for (std::uint32_t s = 1; s < symbols; ++s) coefficients[places[s]] = sums[s];
        total += sums[0];
    }
    coefficients[0] = total;
}

}  // namespace

void hadamard_supports(const std::int64_t* counts, std::size_t rows, double* supports, std::size_t cells, unsigned bits,
                       unsigned digits, unsigned threads) {
    const unsigned length = bits * digits;
    const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{1} << length) - 1);
    const std::uint32_t lowest = mask / ((1u << bits) - 1);
    in_threads(rows, 1, threads, [&](std::size_t start, std::size_t stop) {
        std::vector<double> coefficients(std::size_t{1} << length);
        for (std::size_t row = start; row < stop; ++row) {
            gather_coefficients(counts + row * (std::size_t{lowest} << bits), coefficients.data(), bits, lowest);
            walsh_hadamard(coefficients.data(), 1, length, rows < threads ? threads : 1);
            double* into = supports + row * cells;
            for (std::size_t item = 0; item < cells; ++item) {
                const std::uint32_t held = static_cast<std::uint32_t>(item);
                const std::uint32_t place = bits > 1 ? scatter(held, mask, (length + 1) / 2) : held;
                into[item] = coefficients[place] / (1u << bits);
            }
        }
    });
}

}  // namespace ldprange
