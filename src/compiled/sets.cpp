// Sets as numbers: what the table is, and what a rank, is said by the NumPy twin.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "kernels.hpp"
#include "loops.hpp"
#include "words.hpp"

namespace ldprange {
namespace {

constexpr std::size_t kPeople = 256;  // whose sets are found together

}  // namespace

void rank_sets(const std::uint8_t* rows, std::size_t count, std::size_t width, const std::uint64_t* table,
               std::size_t size, std::size_t cells, std::uint64_t* ranks) {
    for (std::size_t row = 0; row < count; ++row, rows += width) {
        std::uint64_t rank = 0;
        std::size_t place = 0;
        bool right = true;
        for (std::size_t byte = 0; byte < width; byte += 8) {
            for (std::uint64_t word = load(rows, width, byte); word; word &= word - 1, ++place) {
                const std::size_t cell = 8 * byte + lowest(word);
                right = right && place < size && cell < cells;
                if (right) rank += table[place * cells + cell];
            }
        }
        if (!right || place != size)
            throw std::invalid_argument("every row must hold as many cells as the table has rows, and nothing else");
        ranks[row] = rank;
    }
}

// Decides of one cell, from the last to the first, whether it is in each of `count` people's sets: it is if its term, as
// the greatest cell of those that are still to find, is not above what is left of the rank.
LDPRANGE_WIDEST
void decide(std::uint64_t* left, std::uint64_t* to_find, std::uint64_t* bits, std::size_t count,
            const std::uint64_t* terms, unsigned bit) {
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t term = terms[to_find[i]], held = (term <= left[i]) & (to_find[i] != 0);
        left[i] -= held ? term : 0;
        to_find[i] -= held;
        bits[i] |= held << bit;
    }
}

void sets_of_ranks(const std::uint64_t* ranks, std::size_t count, const std::uint64_t* terms, std::size_t size,
                   std::size_t cells, std::uint8_t* rows) {
    const std::size_t width = (cells + 7) / 8;
    std::array<std::uint64_t, kPeople> left, to_find, bits;
    for (std::size_t start = 0; start < count; start += kPeople, rows += kPeople * width) {
        const std::size_t here = std::min(kPeople, count - start);
        std::copy_n(ranks + start, here, left.data());
        to_find.fill(size);
        for (std::size_t byte = width; byte--;) {
            bits.fill(0);
            for (std::size_t cell = std::min(cells, 8 * byte + 8); cell-- > 8 * byte;)
                decide(left.data(), to_find.data(), bits.data(), here, terms + cell * (size + 1), cell & 7);
            for (std::size_t i = 0; i < here; ++i) rows[i * width + byte] = static_cast<std::uint8_t>(bits[i]);
        }
    }
}

void set_sizes(const std::uint8_t* rows, std::size_t count, std::size_t width, std::uint32_t* sizes) {
    for (std::size_t row = 0; row < count; ++row, rows += width) {
        std::uint32_t size = 0;
        for (std::size_t byte = 0; byte < width; byte += 8) size += ones(load(rows, width, byte));
        sizes[row] = size;
    }
}

}  // namespace ldprange
