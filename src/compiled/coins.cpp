// What is decided by seeded coins: integers below a bound, and randomised response.
#include "coins.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels.hpp"

namespace ldprange {

// Of word · bound the upper half is the integer. Of the 2³² words some integers would have one more than others, but for
// those whose lower half is below `unfair`, 2³² mod bound.
LDPRANGE_WIDEST
bool any_unfair(const std::uint32_t* words, std::size_t count, std::uint32_t bound, std::uint32_t unfair) {
    std::uint32_t any = 0;
    for (std::size_t i = 0; i < count; ++i) any |= words[i] * bound < unfair;
    return any != 0;
}

LDPRANGE_WIDEST
void scale(std::uint32_t* words, std::size_t count, std::uint32_t bound) {
    for (std::size_t i = 0; i < count; ++i)
        words[i] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(words[i]) * bound >> 32);
}

LDPRANGE_WIDEST
void choose_responses(std::uint32_t* symbols, const std::uint32_t* coins, const std::uint32_t* others,
                      std::size_t count, std::uint32_t threshold) {
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t other = others[i] + (others[i] >= symbols[i]);
        symbols[i] = coins[i] < threshold ? symbols[i] : other;
    }
}

LDPRANGE_WIDEST
void flip_bits(std::uint32_t* symbols, const std::uint32_t* coins, std::size_t count, std::uint32_t threshold) {
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) symbols[i] ^= coins[i] >= threshold;
}

void draw_below(Generator& generator, std::uint32_t* words, std::size_t count, std::uint32_t bound) {
    generator.fill(words, count);
    const std::uint32_t unfair = (0u - bound) % bound;
    if (unfair && any_unfair(words, count, bound, unfair)) {
        std::vector<std::size_t> again;
        for (std::size_t i = 0; i < count; ++i)
            if (words[i] * bound < unfair) again.push_back(i);
        while (!again.empty()) {
            std::vector<std::uint32_t> drawn(again.size());
            generator.fill(drawn.data(), drawn.size());
            std::size_t left = 0;
            for (std::size_t i = 0; i < drawn.size(); ++i) {
                words[again[i]] = drawn[i];
                if (drawn[i] * bound < unfair) again[left++] = again[i];
            }
            again.resize(left);
        }
    }
    scale(words, count, bound);
}

void respond(Generator& generator, std::uint32_t* symbols, std::size_t count, std::uint32_t number,
             std::uint32_t threshold) {
    std::array<std::uint32_t, kTogether> coins, others;
    for (std::size_t at = 0; at < count; at += kTogether) {
        const std::size_t here = std::min(kTogether, count - at);
        generator.fill(coins.data(), here);
        if (number == 2) {
            flip_bits(symbols + at, coins.data(), here, threshold);
            continue;
        }
        draw_below(generator, others.data(), here, number - 1);
        choose_responses(symbols + at, coins.data(), others.data(), here, threshold);
    }
}

void draw_below(std::uint64_t* state, std::uint32_t* drawn, std::size_t count, std::uint32_t bound) {
    Generator generator(state);
    for (std::size_t at = 0; at < count; at += kTogether)
        draw_below(generator, drawn + at, std::min(kTogether, count - at), bound);
}

void respond(std::uint64_t* state, std::uint32_t* symbols, std::size_t count, std::uint32_t number,
             std::uint32_t threshold) {
    Generator generator(state);
    respond(generator, symbols, count, number, threshold);
}

}  // namespace ldprange
