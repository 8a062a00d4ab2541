// Encoding many people's values with seeded coins: rehearsals only. Coins are the words of NumPy's SFC64, two from
// every 64 bits, in the order in which the NumPy kernels draw them; so both give the same reports.
#include <array>
#include <cstring>
#include <stdexcept>

#include "kernels.hpp"
#include "loops.hpp"

namespace ldprange {
namespace {

constexpr std::size_t kChunk = 2048;   // words drawn ahead of the loop that uses them: they stay in the first cache
constexpr unsigned kTableBits = 10;    // upper bits of a word that mostly settle its level

// SFC64 with its state in registers while it runs.
class Generator {
public:
    explicit Generator(std::uint64_t* state)
        : state_(state), a_(state[0]), b_(state[1]), c_(state[2]), counter_(state[3]) {}
    ~Generator() {
        state_[0] = a_;
        state_[1] = b_;
        state_[2] = c_;
        state_[3] = counter_;
    }
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;

    std::uint64_t next() {
        const std::uint64_t drawn = a_ + b_ + counter_++;
        a_ = b_ ^ (b_ >> 11);
        b_ = c_ + (c_ << 3);
        c_ = ((c_ << 24) | (c_ >> 40)) + drawn;
        return drawn;
    }

    // The halves of each draw lie as they do in memory (lower first); of an odd count the last is lost, as in NumPy.
    void fill(std::uint32_t* words, std::size_t count) {
        std::size_t at = 0;
        for (; at + 1 < count; at += 2) {
            const std::uint64_t drawn = next();
            std::memcpy(words + at, &drawn, sizeof drawn);
        }
        if (at < count) words[at] = static_cast<std::uint32_t>(next());
    }

private:
    std::uint64_t* state_;
    std::uint64_t a_, b_, c_, counter_;
};

// The level of a word is the number of thresholds it reaches: looked up by its upper bits, then corrected.
class Levels {
public:
    Levels(const std::uint64_t* thresholds, std::size_t number) {
        if (number > 254) throw std::invalid_argument("there must be at most 255 levels");
        for (std::size_t level = 0; level < number; ++level) {
            if (level && thresholds[level] < thresholds[level - 1])
                throw std::invalid_argument("thresholds must not decrease");
            thresholds_[level] = thresholds[level];
        }
        thresholds_[number] = ~std::uint64_t{0};  // no word reaches it
        std::size_t level = 0;
        for (std::size_t upper = 0; upper < first_.size(); ++upper) {
            const std::uint64_t least = static_cast<std::uint64_t>(upper) << (32 - kTableBits);
            while (least >= thresholds_[level]) ++level;
            first_[upper] = static_cast<std::uint8_t>(level);
        }
    }

    std::uint8_t of(std::uint32_t word) const {
        std::size_t level = first_[word >> (32 - kTableBits)];
        level += word >= thresholds_[level];  // most often all there is to correct, and no branch to guess
        while (word >= thresholds_[level]) ++level;
        return static_cast<std::uint8_t>(level);
    }

private:
    std::array<std::uint64_t, 256> thresholds_;
    std::array<std::uint8_t, 1u << kTableBits> first_;
};

inline std::uint32_t parity(std::uint32_t word) {
    word ^= word >> 16;
    word ^= word >> 8;
    word ^= word >> 4;
    word ^= word >> 2;
    word ^= word >> 1;
    return word & 1;
}

}  // namespace

void draw_words(std::uint64_t* state, std::uint32_t* words, std::size_t count) {
    Generator(state).fill(words, count);
}

void choose_levels(const std::uint32_t* words, std::uint8_t* chosen, std::size_t count,
                   const std::uint64_t* thresholds, std::size_t number) {
    const Levels levels(thresholds, number);
    for (std::size_t i = 0; i < count; ++i) chosen[i] = levels.of(words[i]);
}

void draw_levels(std::uint64_t* state, std::uint8_t* chosen, std::size_t count, const std::uint64_t* thresholds,
                 std::size_t number) {
    const Levels levels(thresholds, number);
    Generator generator(state);
    std::size_t at = 0;
    for (; at + 1 < count; at += 2) {
        const std::uint64_t drawn = generator.next();
        chosen[at] = levels.of(static_cast<std::uint32_t>(drawn));
        chosen[at + 1] = levels.of(static_cast<std::uint32_t>(drawn >> 32));
    }
    if (at < count) chosen[at] = levels.of(static_cast<std::uint32_t>(generator.next()));
}

template <class Item>
void split_by_level(const Item* items, const std::uint8_t* chosen, std::size_t count,
                    std::uint32_t* grouped, std::int64_t* bounds, std::size_t levels) {
    std::array<std::array<std::uint32_t, 256>, 4> number{};  // four, so that equal neighbours do not wait
    std::size_t at = 0;
    for (; at + 4 <= count; at += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) ++number[lane][chosen[at + lane]];
    for (; at < count; ++at) ++number[0][chosen[at]];
    std::array<std::uint32_t*, 256> next{};
    bounds[0] = 0;
    std::size_t upto = 0;
    for (std::size_t level = 0; level < 256; ++level) {
        std::size_t here = 0;
        for (const auto& lane : number) here += lane[level];
        if (level >= levels) {
            if (here) throw std::invalid_argument("every level must be below the number of levels");
            continue;
        }
        next[level] = grouped + upto;
        upto += here;
        bounds[level + 1] = static_cast<std::int64_t>(upto);
    }
    for (std::size_t i = 0; i < count; ++i) *next[chosen[i]]++ = static_cast<std::uint32_t>(items[i]);
}

template void split_by_level(const std::uint32_t*, const std::uint8_t*, std::size_t, std::uint32_t*, std::int64_t*,
                             std::size_t);
template void split_by_level(const std::int64_t*, const std::uint8_t*, std::size_t, std::uint32_t*, std::int64_t*,
                             std::size_t);

LDPRANGE_WIDEST
void contrast_codes(const std::uint32_t* items, const std::uint32_t* coins, std::uint32_t* codes,
                    std::size_t count, std::uint32_t mask, std::uint32_t threshold) {
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t index = (codes[i] & mask) << 1;  // the words of the indices are there already
        const std::uint32_t lie = coins[i] >= threshold;
        codes[i] = index | (parity((index | 1) & items[i]) ^ lie);
    }
}

void encode_contrast(std::uint64_t* state, const std::uint32_t* items, std::uint32_t* codes, std::size_t count,
                     std::uint32_t pairs, std::uint32_t threshold) {
    Generator generator(state);
    generator.fill(codes, count);
    std::array<std::uint32_t, kChunk> coins;
    for (std::size_t at = 0; at < count; at += kChunk) {
        const std::size_t here = std::min(kChunk, count - at);
        generator.fill(coins.data(), here);
        contrast_codes(items + at, coins.data(), codes + at, here, pairs - 1, threshold);
    }
}

LDPRANGE_WIDEST
void hash_hadamard(const std::uint32_t* index, const std::uint32_t* items, std::uint32_t* symbols,
                   std::size_t count, unsigned bits, std::uint32_t lowest) {
    const unsigned top = bits - 1;
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) symbols[i] = parity(index[i] & items[i]);
    std::array<std::uint32_t, kChunk> power;
    for (std::size_t at = 0; bits > 1 && at < count; at += kChunk) {
        const std::size_t here = std::min(kChunk, count - at);
        std::copy(index + at, index + at + here, power.begin());
        for (unsigned r = 1; r < bits; ++r) {
            LDPRANGE_INDEPENDENT
            for (std::size_t i = 0; i < here; ++i) {
                // multiply every digit by x modulo x^t + x + 1
                const std::uint32_t carry = (power[i] >> top) & lowest;
                power[i] = ((power[i] ^ (carry << top)) << 1) ^ carry ^ (carry << 1);
                symbols[at + i] |= parity(power[i] & items[at + i]) << r;
            }
        }
    }
}

}  // namespace ldprange
