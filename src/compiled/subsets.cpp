// Subset selection of many people with seeded coins: Floyd's algorithm, a step at a time for many people together.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "coins.hpp"
#include "kernels.hpp"
#include "loops.hpp"

namespace ldprange {
namespace {

constexpr std::size_t kNarrow = 65;  // so many cells leave 64 others, whose bits one register holds

inline bool has(const std::uint8_t* row, std::size_t cell) { return row[cell >> 3] >> (cell & 7) & 1; }
inline void put(std::uint8_t* row, std::size_t cell, bool bit) {
    row[cell >> 3] = static_cast<std::uint8_t>((row[cell >> 3] & ~(1u << (cell & 7))) | unsigned{bit} << (cell & 7));
}

}  // namespace

// A step of Floyd's algorithm: `last` is chosen if what was drawn is there already.
LDPRANGE_WIDEST
void choose_next(std::uint64_t* chosen, const std::uint32_t* drawn, std::size_t count, unsigned last) {
    const std::uint64_t instead = std::uint64_t{1} << last;
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t place = drawn[i], before = chosen[i];
        const std::uint64_t free = ~(before >> place) & 1;
        chosen[i] = before | free << place | (instead & (free - 1));
    }
}

// The first step, which is that of people alone whose set is without their own cell.
LDPRANGE_WIDEST
void choose_first(std::uint64_t* chosen, const std::uint32_t* drawn, const std::uint32_t* coins, std::size_t count,
                  std::uint32_t threshold) {
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t place = drawn[i], lacks = coins[i] >= threshold;
        chosen[i] = lacks << place;
    }
}

// The others were chosen as numbers below cells − 1, in which the person's own cell stood for the last: puts both right.
// What bit 64 would be goes to `beyond`; else it is 0.
LDPRANGE_WIDEST
void put_own(std::uint64_t* chosen, std::uint64_t* beyond, const std::uint32_t* items, const std::uint32_t* coins,
             std::size_t count, unsigned cells, std::uint32_t threshold) {
    const std::uint64_t last = cells <= 64 ? std::uint64_t{1} << (cells - 1) : 0;
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t place = items[i] & 63, inside = items[i] < 64, holds = coins[i] < threshold;
        const std::uint64_t before = chosen[i], stood = before >> place & inside;
        chosen[i] = (before & ~(inside << place)) | (holds & inside) << place | (last & (0 - stood));
        beyond[i] = stood | (holds & (inside ^ 1));
    }
}

namespace {

void encode_narrow(Generator& generator, const std::uint32_t* items, std::uint8_t* rows, std::size_t count,
                   unsigned cells, unsigned size, std::uint32_t threshold) {
    std::array<std::uint32_t, kTogether> coins, drawn;
    std::array<std::uint64_t, kTogether> chosen, beyond;
    generator.fill(coins.data(), count);
    for (unsigned last = cells - 1 - size; last < cells - 1; ++last) {
        draw_below(generator, drawn.data(), count, last + 1);
        if (last == cells - 1 - size)
            choose_first(chosen.data(), drawn.data(), coins.data(), count, threshold);
        else
            choose_next(chosen.data(), drawn.data(), count, last);
    }
    put_own(chosen.data(), beyond.data(), items, coins.data(), count, cells, threshold);
    const std::size_t width = (cells + 7) / 8, bytes = count * width;
    for (std::size_t i = 0, at = 0; i < count; ++i, at += width) {
        // eight bytes are written in one step, though they reach into the next row, which is written then
        std::memcpy(rows + at, &chosen[i], at + 8 <= bytes ? 8 : bytes - at);
        if (width > 8) rows[at + 8] = static_cast<std::uint8_t>(beyond[i]);
    }
}

void encode_wide(Generator& generator, const std::uint32_t* items, std::uint8_t* rows, std::size_t count,
                 std::size_t cells, std::size_t size, std::uint32_t threshold) {
    std::array<std::uint32_t, kTogether> coins, drawn;
    const std::size_t width = (cells + 7) / 8;
    std::fill_n(rows, count * width, std::uint8_t{0});
    generator.fill(coins.data(), count);
    for (std::size_t last = cells - 1 - size; last < cells - 1; ++last) {
        draw_below(generator, drawn.data(), count, static_cast<std::uint32_t>(last + 1));
        const bool first = last == cells - 1 - size;
        for (std::size_t i = 0; i < count; ++i) {
            if (first && coins[i] < threshold) continue;
            std::uint8_t* row = rows + i * width;
            put(row, has(row, drawn[i]) ? last : drawn[i], true);
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        std::uint8_t* row = rows + i * width;
        put(row, cells - 1, has(row, items[i]));
        put(row, items[i], coins[i] < threshold);
    }
}

}  // namespace

void encode_subset(std::uint64_t* state, const std::uint32_t* items, std::uint8_t* rows, std::size_t count,
                   std::size_t cells, std::size_t size, std::uint32_t threshold, std::size_t together) {
    Generator generator(state);
    const std::size_t width = (cells + 7) / 8;
    for (std::size_t at = 0; at < count; at += together) {
        const std::size_t here = std::min(together, count - at);
        if (cells <= kNarrow)
            encode_narrow(generator, items + at, rows + at * width, here, static_cast<unsigned>(cells),
                          static_cast<unsigned>(size), threshold);
        else
            encode_wide(generator, items + at, rows + at * width, here, cells, size, threshold);
    }
}

}  // namespace ldprange
