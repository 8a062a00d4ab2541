// The kernels without Python, for the sanitizers: scripts/sanitize quick. Each must come to the same twice: on one thread and
// on four, if it has threads. The thread sanitizer sees whether the four touch each other's data; the address sanitizer,
// whether any of them goes beyond an array.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include "kernels.hpp"

namespace {

constexpr unsigned kThreads = 4;
std::mt19937_64 chance(1);

template <class Number>
std::vector<Number> numbers(std::size_t count, std::uint64_t below) {
    std::vector<Number> found(count);
    for (Number& each : found) each = static_cast<Number>(chance() % below);
    return found;
}

std::vector<double> shares(std::size_t count) {
    std::vector<double> found(count);
    for (double& each : found) each = 0.01 + 0.98 * static_cast<double>(chance() >> 11) * 0x1p-53;
    return found;
}

template <class Number>
void same(const char* kernel, std::size_t size, const std::function<void(Number*, unsigned)>& work,
          const std::vector<Number>& start = {}) {
    std::vector<Number> one = start, several = start;
    one.resize(size);
    several.resize(size);
    work(one.data(), 1);
    work(several.data(), kThreads);
    if (one != several) {
        std::fprintf(stderr, "%s comes to something else the second time, or on several threads\n", kernel);
        std::exit(1);
    }
}

}  // namespace

int main() {
    using namespace ldprange;
    {
        const std::size_t count = 1 << 19, outputs = 1000;
        const auto codes = numbers<std::uint32_t>(count, outputs);
        same<std::int64_t>("tally", outputs, [&](std::int64_t* counts, unsigned threads) {
            tally(codes.data(), count, counts, outputs, threads);
        });
    }
    {
        const std::size_t rows = 1 << 13, cells = 1024;
        const auto packed = numbers<std::uint8_t>(rows * cells / 8, 256);
        same<std::int64_t>("sum_unary", cells, [&](std::int64_t* counts, unsigned threads) {
            sum_unary(packed.data(), rows, cells / 8, counts, cells, threads);
        });
    }
    {
        const unsigned bits = 18;
        same<double>(
            "walsh_hadamard", std::size_t{1} << bits,
            [&](double* values, unsigned threads) { walsh_hadamard(values, 1, bits, threads); },
            shares(std::size_t{1} << bits));
    }
    {
        const unsigned bits = 1, digits = 12;
        const std::size_t rows = 8, cells = 1 << 12, columns = std::size_t{(1u << 12) - 1} << bits;
        const auto counts = numbers<std::int64_t>(rows * columns, 100);
        same<double>("hadamard_supports", rows * cells, [&](double* supports, unsigned threads) {
            hadamard_supports(counts.data(), rows, supports, cells, bits, digits, threads);
        });
    }
    {
        const std::size_t rows = 1 << 14, cells = 256;
        const std::uint32_t exponent = 13, prime = (1u << exponent) - 1, symbols = 4;
        const auto constant = numbers<std::uint32_t>(rows, prime), linear = numbers<std::uint32_t>(rows, prime),
                   quadratic = numbers<std::uint32_t>(rows, prime), reported = numbers<std::uint32_t>(rows, symbols);
        const std::vector<std::int64_t> bounds = {0, 5000, static_cast<std::int64_t>(rows)};
        same<std::int64_t>("sum_supports", 2 * cells, [&](std::int64_t* counts, unsigned threads) {
            sum_supports(constant.data(), linear.data(), quadratic.data(), reported.data(), bounds.data(), 2, counts,
                         cells, exponent, symbols, threads);
        });
    }
    {
        const std::size_t side = 64, number = 3, width = 8, count = 1 << 15;
        const auto values = shares(side * side), weights = shares(count * number), others = shares(count * width);
        const Table table{values.data(), side, side};
        const auto first = numbers<std::int64_t>(count, side - number), column = numbers<std::int64_t>(count, side - width),
                   one = numbers<std::int64_t>(count, side), other = numbers<std::int64_t>(count, side);
        same<double>("weighted_rows", count * width, [&](double* sums, unsigned threads) {
            weighted_rows(table, first.data(), column.data(), weights.data(), number, count, sums, width, threads);
        });
        same<double>("weighted_pairs", count, [&](double* sums, unsigned threads) {
            weighted_pairs(table, first.data(), weights.data(), number, column.data(), others.data(), width, count, sums,
                           threads);
        });
        same<double>("product_sums", count, [&](double* sums, unsigned threads) {
            product_sums(table, one.data(), other.data(), table, first.data(), count, sums, threads);
        });
    }
    {
        const std::size_t count = 1 << 15, number = 3;
        const auto value = shares(count), noise = shares(count), centre = shares(count), parent = shares(count);
        const std::vector<double> spreads = {0.01, 0.1, 0.5}, weights = {0.25, 0.25, 0.25, 0.25};
        same<double>("mixture_means", count, [&](double* means, unsigned threads) {
            mixture_means(value.data(), noise.data(), centre.data(), parent.data(), count, spreads.data(), weights.data(),
                          number, means, threads);
        });
    }
    {
        const std::size_t bins = (1 << 14) + 1, width = 5, blocks = bins + 2 * width - 1;
        const auto upto = shares(bins + 1), mass = shares(blocks), variance = shares(blocks),
                   half = shares(bins + width - 1);
        const std::vector<double> spreads = {0.01, 0.1, 0.5}, weights = {0.25, 0.25, 0.25, 0.25};
        const Blocks split{upto.data(), bins, mass.data(), variance.data(), half.data(), width, static_cast<double>(bins), 1e-6};
        same<double>("split_blocks", bins + width - 1, [&](double* masses, unsigned threads) {
            split_blocks(split, spreads.data(), weights.data(), spreads.size(), masses, threads);
        });
        same<double>("mixture_weights", weights.size(), [&](double* found, unsigned) {
            mixture_weights(upto.data(), mass.data(), variance.data(), upto.data(), bins, spreads.data(), spreads.size(),
                            weights.data(), 1.0, 3, found);
        });
    }
    {
        const std::vector<std::int64_t> row_sizes = {12, 6, 3, 1}, column_sizes = {8, 2, 1};
        const std::size_t count = 1 << 10, rows = row_sizes.size(), columns = column_sizes.size();
        const auto upto = shares(13 * 9), shrink = shares(rows * columns), spread = shares(rows * columns),
                   scales = shares(rows * columns), held = shares(rows * columns);
        std::vector<std::int64_t> low, high;
        for (const std::int64_t bins : {row_sizes[0], column_sizes[0]})
            for (std::size_t question = 0; question < count; ++question) {
                low.push_back(static_cast<std::int64_t>(chance() % (bins + 1)));
                high.push_back(low.back() + static_cast<std::int64_t>(chance() % (bins + 1 - low.back())));
            }
        const JointTable table{upto.data(), 9, shrink.data(), spread.data(), scales.data(), held.data(), rows, columns, 1e4};
        same<double>("joint_variances", count, [&](double* variances, unsigned threads) {
            joint_variances(low.data(), high.data(), count, row_sizes.data(), column_sizes.data(), table,
                            variances, threads);
        });
    }
    {
        const std::size_t count = (1 << 12) + 3, cells = 61, width = (cells + 7) / 8, size = 7;
        const std::uint32_t threshold = 3u << 30;
        const std::array<std::uint64_t, 4> seed = {1, 2, 3, 4};
        const auto items = numbers<std::uint32_t>(count, cells), words = numbers<std::uint32_t>(count, 1ull << 32);
        const std::vector<std::uint64_t> thresholds = {1u << 30, 1u << 31, 3u << 30};
        const auto drawn = [&](const char* kernel, const std::function<void(std::uint64_t*, std::uint32_t*)>& draw) {
            same<std::uint32_t>(
                kernel, count,
                [&](std::uint32_t* codes, unsigned) {
                    auto state = seed;
                    draw(state.data(), codes);
                },
                items);
        };
        drawn("draw_words", [&](auto* state, auto* codes) { draw_words(state, codes, count); });
        drawn("draw_below", [&](auto* state, auto* codes) { draw_below(state, codes, count, cells); });
        drawn("respond", [&](auto* state, auto* codes) { respond(state, codes, count, cells, threshold); });
        drawn("encode_contrast",
              [&](auto* state, auto* codes) { encode_contrast(state, items.data(), codes, count, 32, threshold); });
        drawn("encode_hadamard",
              [&](auto* state, auto* codes) { encode_hadamard(state, items.data(), codes, count, 2, 3, threshold); });
        drawn("hash_hadamard",
              [&](auto*, auto* codes) { hash_hadamard(words.data(), items.data(), codes, count, 2, 0); });
        const unsigned lines = (1 << 2 * 3) / 3;  // of indices of three digits of two bits
        drawn("hash_to_symbol", [&](auto*, auto* codes) {
            for (std::size_t i = 0; i < count; ++i) codes[i] = hash_to_symbol(words[i] % lines, items[i], 2, 3);
        });
        std::vector<std::uint8_t> chosen(count);
        same<std::uint8_t>("draw_levels", count, [&](std::uint8_t* levels, unsigned) {
            auto state = seed;
            draw_levels(state.data(), levels, count, thresholds.data(), thresholds.size());
        });
        auto levels_state = seed;
        draw_levels(levels_state.data(), chosen.data(), count, thresholds.data(), thresholds.size());
        std::vector<std::int64_t> bounds(thresholds.size() + 2);
        same<std::uint32_t>("split_by_level", count, [&](std::uint32_t* grouped, unsigned) {
            split_by_level(items.data(), chosen.data(), count, grouped, bounds.data(), bounds.size() - 1);
        });
        std::vector<std::uint8_t> sets(count * width);
        auto state = seed;
        encode_subset(state.data(), items.data(), sets.data(), count, cells, size, threshold, 8);
        same<std::uint32_t>("set_sizes", count, [&](std::uint32_t* sizes, unsigned) {
            set_sizes(sets.data(), count, width, sizes);
            for (std::size_t row = 0; row < count; ++row)
                if (sizes[row] != size) std::exit((std::fprintf(stderr, "encode_subset makes sets of another size\n"), 1));
        });
        // the number of sets of as many cells below each: by place and cell, and for the way back by cell and place
        std::vector<std::uint64_t> table(size * cells), terms(cells * (size + 1));
        for (std::size_t cell = 0; cell < cells; ++cell) {
            std::uint64_t below = 1;
            for (std::size_t place = 0; place < size; ++place) {
                below = cell < place ? 0 : below * (cell - place) / (place + 1);
                table[place * cells + cell] = terms[cell * (size + 1) + place + 1] = below;
            }
        }
        std::vector<std::uint64_t> ranks(count);
        same<std::uint64_t>("rank_sets", count, [&](std::uint64_t* found, unsigned) {
            rank_sets(sets.data(), count, width, table.data(), size, cells, found);
            std::copy_n(found, count, ranks.data());
        });
        same<std::uint8_t>("sets_of_ranks", sets.size(), [&](std::uint8_t* found, unsigned) {
            sets_of_ranks(ranks.data(), count, terms.data(), size, cells, found);
            if (!std::equal(sets.begin(), sets.end(), found))
                std::exit((std::fprintf(stderr, "sets_of_ranks finds other sets than were ranked\n"), 1));
        });
        const auto groups = numbers<std::uint32_t>(count, 3);
        same<std::int64_t>("sum_unary_groups", 3 * cells, [&](std::int64_t* counts, unsigned) {
            sum_unary_groups(sets.data(), groups.data(), count, counts, 3, cells);
        });
        const std::size_t step = 8 * width + 3, bytes = (count * step + 7) / 8;
        same<std::uint8_t>("copy_bits", bytes, [&](std::uint8_t* target, unsigned) {
            copy_bits(sets.data(), sets.size(), 0, 8 * width, target, bytes, 3, step, cells, count);
        });
        for (std::size_t whole = 1; whole <= width; ++whole)  // of bytes, which are copied in another way
            same<std::uint8_t>("copy_bits", count * whole, [&](std::uint8_t* target, unsigned) {
                copy_bits(sets.data(), sets.size(), 8 * (width - whole), 8 * width, target, count * whole, 0, 8 * whole,
                          8 * whole, count);
            });
        if (greatest(items.data(), count) >= cells) return 1;
    }
    std::puts("no fault in these kernels, and the same results twice");
}
