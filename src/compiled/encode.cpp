// Levels and contrasts of many people with seeded coins: rehearsals only.
#include <algorithm>
#include <array>
#include <stdexcept>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "coins.hpp"
#include "kernels.hpp"
#include "loops.hpp"

namespace ldprange {
namespace {

constexpr std::size_t kChunk = 2048;  // words drawn ahead of the loop that uses them: they stay in the first cache

// The level of a word is the number of thresholds it reaches. Words with the same upper bits mostly have at most one
// threshold t among them, and then one addition settles the level: with level·2³² + (2³² − t) in a table, adding the
// word carries into the level if the word reaches t.
class Levels {
public:
    Levels(const std::uint64_t* thresholds, std::size_t number) : thresholds_(thresholds), number_(number) {
        if (number > 254) throw std::invalid_argument("there must be at most 255 levels");
        if (!std::is_sorted(thresholds, thresholds + number))
            throw std::invalid_argument("thresholds must not decrease");
        std::uint64_t level = 0;
        for (std::uint64_t upper = 0; upper < table_.size(); ++upper) {
            const std::uint64_t least = upper << kShift, beyond = (upper + 1) << kShift;
            while (level < number && thresholds[level] <= least) ++level;
            const bool one = level < number && thresholds[level] < beyond;
            settled_ = settled_ && !(level + 1 < number && thresholds[level + 1] < beyond);
            table_[upper] = (level << 32) + (one ? kWords - thresholds[level] : 0);
        }
    }

    // Calls work with a function that gives a word's level.
    template <class Work>
    void with(Work work) const {
        if (settled_)  // a level is written to bytes, which might be anyone's: what is read must not seem to change
            work([table = table_.data()](std::uint32_t word) {
                return static_cast<std::uint8_t>((table[word >> kShift] + word) >> 32);
            });
        else
            work([first = thresholds_, last = thresholds_ + number_](std::uint32_t word) {
                return static_cast<std::uint8_t>(std::upper_bound(first, last, word) - first);
            });
    }

private:
    static constexpr unsigned kShift = 22;
    static constexpr std::uint64_t kWords = std::uint64_t{1} << 32;
    const std::uint64_t* thresholds_;
    std::size_t number_;
    bool settled_ = true;
    std::array<std::uint64_t, (kWords >> kShift)> table_;
};

}  // namespace

void draw_words(std::uint64_t* state, std::uint32_t* words, std::size_t count) {
    Generator(state).fill(words, count);
}

void draw_levels(std::uint64_t* state, std::uint8_t* chosen, std::size_t count, const std::uint64_t* thresholds,
                 std::size_t number) {
    Generator generator(state);
    Levels(thresholds, number).with([&](auto level_of) {
        std::size_t at = 0;
        LDPRANGE_UNROLL
        for (; at + 1 < count; at += 2) {
            const std::uint64_t drawn = generator.next();
            chosen[at] = level_of(static_cast<std::uint32_t>(drawn));
            chosen[at + 1] = level_of(static_cast<std::uint32_t>(drawn >> 32));
        }
        if (at < count) chosen[at] = level_of(static_cast<std::uint32_t>(generator.next()));
    });
}

template <class Item>
void split_by_level(const Item* items, const std::uint8_t* chosen, std::size_t count,
                    std::uint32_t* grouped, std::int64_t* bounds, std::size_t levels) {
    std::array<std::array<std::uint32_t, 256>, 4> numbers{};  // of each level, four times: equal neighbours need not wait
    std::size_t at = 0;
    LDPRANGE_UNROLL
    for (; at + 4 <= count; at += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) ++numbers[lane][chosen[at + lane]];
    for (; at < count; ++at) ++numbers[0][chosen[at]];
    std::array<std::uint32_t*, 256> next{};
    bounds[0] = 0;
    std::size_t upto = 0;
    for (std::size_t level = 0; level < 256; ++level) {
        std::size_t here = 0;
        for (const auto& lane : numbers) here += lane[level];
        if (level >= levels) {
            if (here) throw std::invalid_argument("every level must be below the number of levels");
            continue;
        }
        next[level] = grouped + upto;
        upto += here;
        bounds[level + 1] = static_cast<std::int64_t>(upto);
    }
    LDPRANGE_UNROLL
    for (std::size_t i = 0; i < count; ++i) *next[chosen[i]]++ = static_cast<std::uint32_t>(items[i]);
}

template void split_by_level(const std::uint32_t*, const std::uint8_t*, std::size_t, std::uint32_t*, std::int64_t*,
                             std::size_t);
template void split_by_level(const std::int64_t*, const std::uint8_t*, std::size_t, std::uint32_t*, std::int64_t*,
                             std::size_t);

// Makes codes of words, which are there already, and coins.
LDPRANGE_WIDEST
void contrast_codes(const std::uint32_t* items, const std::uint32_t* coins, std::uint32_t* codes,
                    std::size_t count, std::uint32_t mask, std::uint32_t threshold) {
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t index = (codes[i] & mask) << 1;
        const std::uint32_t lie = coins[i] >= threshold;
        codes[i] = index | (parity((index | 1) & items[i]) ^ lie);
    }
}

namespace {

// Makes codes of words, which are there already, and coins that are drawn now: at most kChunk.
void draw_contrast_codes(Generator& generator, const std::uint32_t* items, std::uint32_t* codes, std::size_t count,
                         std::uint32_t mask, std::uint32_t threshold) {
    std::size_t start = 0;
#if defined(__aarch64__)  // counts ones in one step, which compilers do not see in the loop above; and while one
                          // draw waits for the last, there is time for this
    const uint32x4_t one = vdupq_n_u32(1), masks = vdupq_n_u32(mask << 1), thresholds = vdupq_n_u32(threshold);
    LDPRANGE_UNROLL
    for (; start + 4 <= count; start += 4) {
        const uint64x1_t first = vcreate_u64(generator.next()), second = vcreate_u64(generator.next());
        const uint32x4_t coins = vreinterpretq_u32_u64(vcombine_u64(first, second));
        const uint32x4_t index = vandq_u32(vshlq_n_u32(vld1q_u32(codes + start), 1), masks);
        const uint32x4_t common = vandq_u32(vorrq_u32(index, one), vld1q_u32(items + start));
        const uint32x4_t ones = vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u32(common))));
        const uint32x4_t lie = vcgeq_u32(coins, thresholds);
        vst1q_u32(codes + start, vorrq_u32(index, vandq_u32(veorq_u32(ones, lie), one)));
    }
#endif
    std::array<std::uint32_t, kChunk> coins;
    generator.fill(coins.data(), count - start);
    contrast_codes(items + start, coins.data(), codes + start, count - start, mask, threshold);
}

}  // namespace

void encode_contrast(std::uint64_t* state, const std::uint32_t* items, std::uint32_t* codes, std::size_t count,
                     std::uint32_t pairs, std::uint32_t threshold) {
    Generator generator(state);
    generator.fill(codes, count);
    for (std::size_t at = 0; at < count; at += kChunk)
        draw_contrast_codes(generator, items + at, codes + at, std::min(kChunk, count - at), pairs - 1, threshold);
}

}  // namespace ldprange
