// The boundary to Python: every size is checked here, and the interpreter is let go of while a kernel runs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>
#include <string>

#include "coins.hpp"
#include "kernels.hpp"

namespace nb = nanobind;

namespace {

template <class Number, std::size_t Dimensions = 1>
using Array = nb::ndarray<Number, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Words = Array<const std::uint32_t>;

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

std::uint64_t* state_of(const Array<std::uint64_t>& state) {
    require(state.size() == 4, "the generator's state must be four numbers");
    return state.data();
}

// Rows of one group lie together: bounds[g] to bounds[g + 1].
void check_bounds(const Array<const std::int64_t>& bounds, std::size_t rows, std::size_t groups) {
    require(bounds.size() == groups + 1 && bounds(0) == 0 && static_cast<std::size_t>(bounds(groups)) == rows,
            "bounds must go from 0 to the number of rows");
    for (std::size_t group = 0; group < groups; ++group)
        require(bounds(group) <= bounds(group + 1), "bounds must not decrease");
}

void draw_words(Array<std::uint64_t> state, Array<std::uint32_t> words) {
    ldprange::draw_words(state_of(state), words.data(), words.size());
}

void draw_levels(Array<std::uint64_t> state, Array<const std::uint64_t> thresholds, Array<std::uint8_t> chosen) {
    ldprange::draw_levels(state_of(state), chosen.data(), chosen.size(), thresholds.data(), thresholds.size());
}

template <class Item>
void split_by_level(Array<const Item> items, Array<const std::uint8_t> chosen, Array<std::uint32_t> grouped,
                    Array<std::int64_t> bounds) {
    require(items.size() == chosen.size() && items.size() == grouped.size(), "there must be a level for each item");
    require(items.size() < (std::size_t{1} << 32), "there must be fewer than 2**32 items");
    require(bounds.size() >= 2 && bounds.size() <= 257, "there must be 1 to 256 levels");
    ldprange::split_by_level(items.data(), chosen.data(), items.size(), grouped.data(), bounds.data(),
                             bounds.size() - 1);
}

void encode_contrast(Array<std::uint64_t> state, Words items, std::uint32_t pairs, std::uint32_t threshold,
                     Array<std::uint32_t> codes) {
    require(items.size() == codes.size(), "there must be a code for each item");
    require(pairs && !(pairs & (pairs - 1)), "the number of pairs must be a power of two");
    ldprange::encode_contrast(state_of(state), items.data(), codes.data(), items.size(), pairs, threshold);
}

void hash_hadamard(Words index, Words items, unsigned bits, std::uint32_t lowest, Array<std::uint32_t> symbols) {
    require(index.size() == items.size() && index.size() == symbols.size(), "there must be an index for each item");
    require(bits >= 1 && bits <= 31, "a symbol must have 1 to 31 bits");
    ldprange::hash_hadamard(index.data(), items.data(), symbols.data(), items.size(), bits, lowest);
}

std::uint32_t hash_to_symbol(std::uint32_t line, std::uint32_t item, unsigned bits, unsigned digits) {
    require(bits >= 1 && bits <= 31 && digits >= 1 && digits <= 31 / bits, "an index must have 1 to 31 bits");
    return ldprange::hash_to_symbol(line, item, bits, digits);
}

void draw_below(Array<std::uint64_t> state, std::uint32_t bound, Array<std::uint32_t> drawn) {
    require(bound >= 1, "the bound must be at least 1");
    ldprange::draw_below(state_of(state), drawn.data(), drawn.size(), bound);
}

void respond(Array<std::uint64_t> state, std::uint32_t number, std::uint32_t threshold,
             Array<std::uint32_t> symbols) {
    require(number >= 2, "there must be at least 2 symbols");
    ldprange::respond(state_of(state), symbols.data(), symbols.size(), number, threshold);
}

void encode_hadamard(Array<std::uint64_t> state, Words items, unsigned bits, unsigned digits,
                     std::uint32_t threshold, Array<std::uint32_t> codes) {
    require(items.size() == codes.size(), "there must be a code for each item");
    require(bits >= 1 && bits <= 31 && digits >= 1 && digits <= 31 / bits, "an index must have 1 to 31 bits");
    ldprange::encode_hadamard(state_of(state), items.data(), codes.data(), items.size(), bits, digits, threshold);
}

void hadamard_supports(Array<const std::int64_t, 2> counts, unsigned bits, unsigned digits, Array<double, 2> supports,
                       unsigned threads) {
    require(bits >= 1 && bits <= 31 && digits >= 1 && digits <= 31 / bits, "an index must have 1 to 31 bits");
    const std::size_t indices = std::size_t{1} << (bits * digits), symbols = std::size_t{1} << bits;
    require(counts.shape(1) == (indices - 1) / (symbols - 1) * symbols, "there must be a count for each code");
    require(supports.shape(0) == counts.shape(0) && supports.shape(1) <= indices, "there are too many cells");
    ldprange::hadamard_supports(counts.data(), counts.shape(0), supports.data(), supports.shape(1), bits, digits,
                                threads);
}

void encode_subset(Array<std::uint64_t> state, Words items, std::size_t cells, std::size_t size,
                   std::uint32_t threshold, std::size_t together, Array<std::uint8_t, 2> rows) {
    require(size >= 1 && size < cells && cells < (std::size_t{1} << 32), "a set must have 1 to cells - 1 cells");
    require(rows.shape(0) == items.size() && rows.shape(1) == (cells + 7) / 8, "a row must have a bit for each cell");
    require(together >= 1 && together <= ldprange::kTogether, "too many people are taken together");
    require(ldprange::greatest(items.data(), items.size()) < cells, "every item must be one of the cells");
    ldprange::encode_subset(state_of(state), items.data(), rows.data(), items.size(), cells, size, threshold,
                            together);
}

using Bytes = Array<const std::uint8_t>;
using RankTable = Array<const std::uint64_t, 2>;

void rank_sets(Array<const std::uint8_t, 2> rows, RankTable table, Array<std::uint64_t> ranks) {
    require(rows.shape(0) == ranks.size(), "there must be a rank for each row");
    ldprange::rank_sets(rows.data(), rows.shape(0), rows.shape(1), table.data(), table.shape(0), table.shape(1),
                        ranks.data());
}

// `terms` has a row for each cell: what it adds as the first, second, … cell of a set, after a number that is not used.
void sets_of_ranks(Array<const std::uint64_t> ranks, RankTable terms, Array<std::uint8_t, 2> rows) {
    require(terms.shape(1) >= 1, "there must be a term for each size");
    require(rows.shape(0) == ranks.size() && rows.shape(1) == (terms.shape(0) + 7) / 8,
            "a row must have a bit for each cell");
    ldprange::sets_of_ranks(ranks.data(), ranks.size(), terms.data(), terms.shape(1) - 1, terms.shape(0), rows.data());
}

void set_sizes(Array<const std::uint8_t, 2> rows, Array<std::uint32_t> sizes) {
    require(rows.shape(0) == sizes.size(), "there must be a size for each row");
    ldprange::set_sizes(rows.data(), rows.shape(0), rows.shape(1), sizes.data());
}

void check_places(std::size_t size, std::size_t start, std::size_t step, std::size_t bits, std::size_t count) {
    constexpr std::size_t most = std::size_t{1} << 31;  // so that no product of two wraps
    require(start < most && bits < most && step < most && count < (most << 1) && start + bits <= step &&
                size == (count * step + 7) / 8,
            "every field must lie in its row, and every row in the bytes");
}

void copy_bits(Bytes source, std::size_t start, std::size_t step, Array<std::uint8_t> target, std::size_t to,
               std::size_t to_step, std::size_t bits, std::size_t count) {
    check_places(source.size(), start, step, bits, count);
    check_places(target.size(), to, to_step, bits, count);
    ldprange::copy_bits(source.data(), source.size(), start, step, target.data(), target.size(), to, to_step,
                        bits, count);
}

void tally(Words codes, Array<std::int64_t> counts, unsigned threads) {
    ldprange::tally(codes.data(), codes.size(), counts.data(), counts.size(), threads);
}

void sum_unary(Array<const std::uint8_t, 2> packed, Array<std::int64_t> counts, unsigned threads) {
    require(packed.shape(1) == (counts.size() + 7) / 8, "a row must have a bit for each cell");
    ldprange::sum_unary(packed.data(), packed.shape(0), packed.shape(1), counts.data(), counts.size(), threads);
}

void sum_unary_groups(Array<const std::uint8_t, 2> packed, Words groups, Array<std::int64_t, 2> counts) {
    require(packed.shape(0) == groups.size(), "there must be a group for each row");
    require(packed.shape(1) == (counts.shape(1) + 7) / 8, "a row must have a bit for each cell");
    ldprange::sum_unary_groups(packed.data(), groups.data(), groups.size(), counts.data(), counts.shape(0),
                               counts.shape(1));
}

void walsh_hadamard(Array<double, 2> values, unsigned threads) {
    unsigned bits = 0;
    while (bits < 62 && std::size_t{1} << bits < values.shape(1)) ++bits;
    require(std::size_t{1} << bits == values.shape(1), "the last axis must have a power of two");
    ldprange::walsh_hadamard(values.data(), values.shape(0), bits, threads);
}

void sum_supports(Array<const std::uint32_t, 2> coefficients, Words reported, Array<const std::int64_t> bounds,
                  unsigned exponent, std::uint32_t symbols, Array<std::int64_t, 2> counts, unsigned threads) {
    const std::size_t rows = reported.size();
    require(coefficients.shape(0) == 3 && coefficients.shape(1) == rows, "there must be 3 coefficients a report");
    check_bounds(bounds, rows, counts.shape(0));
    require(exponent >= 2 && exponent <= 31 && symbols >= 1, "the prime must be at most 2**31 - 1");
    const std::uint32_t* field = coefficients.data();
    ldprange::sum_supports(field, field + rows, field + 2 * rows, reported.data(), bounds.data(), counts.shape(0),
                           counts.data(), counts.shape(1), exponent, symbols, threads);
}

// Cells of every depth, from all bins down to one, each of a whole number of the next.
void check_sizes(const Array<const std::int64_t>& sizes, std::size_t depths, std::size_t boundaries) {
    require(depths >= 1 && sizes.size() == depths, "there must be a size for each depth");
    for (std::size_t depth = 0; depth < depths; ++depth)
        require(sizes(depth) >= 1 && (!depth || sizes(depth - 1) % sizes(depth) == 0), "cells must be nested");
    require(sizes(depths - 1) == 1 && static_cast<std::size_t>(sizes(0)) + 1 == boundaries,
            "there must be a share below each boundary between bins");
}

void joint_variances(Array<const std::int64_t, 2> low, Array<const std::int64_t, 2> high,
                     Array<const std::int64_t> row_sizes, Array<const std::int64_t> column_sizes,
                     Array<const double, 2> upto, Array<const double, 2> shrink, Array<const double, 2> spread,
                     Array<const double, 2> scales, Array<const double, 2> held, double users,
                     Array<double> variances, unsigned threads) {
    const std::size_t count = variances.size(), rows = shrink.shape(0), columns = shrink.shape(1);
    for (const auto* each : {&spread, &scales, &held})
        require(each->shape(0) == rows && each->shape(1) == columns, "there must be a number for all depths");
    check_sizes(row_sizes, rows, upto.shape(0));
    check_sizes(column_sizes, columns, upto.shape(1));
    require(low.shape(0) == 2 && high.shape(0) == 2 && low.shape(1) == count && high.shape(1) == count,
            "there must be two ranges for each question");
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::int64_t bins = axis ? column_sizes(0) : row_sizes(0);
        for (std::size_t q = 0; q < count; ++q)
            require(0 <= low(axis, q) && low(axis, q) <= high(axis, q) && high(axis, q) <= bins,
                    "every range must begin before it ends and lie within its bins");
    }
    const ldprange::JointTable table{upto.data(), upto.shape(1), shrink.data(), spread.data(), scales.data(),
                                     held.data(), rows,          columns,       users};
    ldprange::joint_variances(low.data(), high.data(), count, row_sizes.data(), column_sizes.data(), table,
                              variances.data(), threads);
}

using Places = Array<const std::int64_t>;
using Numbers = Array<const double, 2>;

ldprange::Table table_of(const Numbers& values) { return {values.data(), values.shape(0), values.shape(1)}; }

void weighted_rows(Numbers table, Places first, Numbers weights, Places column, Array<double, 2> sums,
                   unsigned threads) {
    const std::size_t count = sums.shape(0);
    require(first.size() == count && weights.shape(0) == count && column.size() == count,
            "there must be a row, a column and weights for each sum");
    ldprange::weighted_rows(table_of(table), first.data(), column.data(), weights.data(), weights.shape(1), count,
                            sums.data(), sums.shape(1), threads);
}

void weighted_pairs(Numbers table, Places first, Numbers weights, Places column, Numbers others, Array<double> sums,
                    unsigned threads) {
    const std::size_t count = sums.size();
    require(first.size() == count && weights.shape(0) == count && column.size() == count && others.shape(0) == count,
            "there must be a row, a column and weights of both for each sum");
    ldprange::weighted_pairs(table_of(table), first.data(), weights.data(), weights.shape(1), column.data(),
                             others.data(), others.shape(1), count, sums.data(), threads);
}

void product_sums(Numbers table, Places one, Places other, Numbers weights, Places which, Array<double> sums,
                  unsigned threads) {
    const std::size_t count = sums.size();
    require(one.size() == count && other.size() == count && which.size() == count,
            "there must be three rows for each sum");
    require(weights.shape(1) == table.shape(1), "there must be a weight for each column");
    ldprange::product_sums(table_of(table), one.data(), other.data(), table_of(weights), which.data(), count,
                           sums.data(), threads);
}

void require_mixture(const Array<const double>& spreads, const Array<const double>& weights) {
    require(weights.size() == spreads.size() + 1 && weights.size() <= ldprange::kMostParts,
            "there must be a weight for each part of the mixture, which has few");
}

void split_blocks(Array<const double> upto, Array<const double> mass, Array<const double> variance,
                  Array<const double> half_variance, std::size_t width, double length, double least,
                  Array<const double> spreads, Array<const double> weights, Array<double> masses, unsigned threads) {
    require(width >= 1 && width < (std::size_t{1} << 32) && upto.size() >= 2,
            "there must be a share below each boundary");
    const std::size_t bins = upto.size() - 1;
    require(length > static_cast<double>(bins - 1) && length <= static_cast<double>(bins),
            "the last bin must begin on the line, and not end before it");
    require(mass.size() == bins + 2 * width - 1 && variance.size() == mass.size(), "there must be a mass of each block");
    require(half_variance.size() == bins + width - 1 && masses.size() == half_variance.size(),
            "there must be a variance of each half");
    require_mixture(spreads, weights);
    const ldprange::Blocks blocks{upto.data(),     bins, mass.data(), variance.data(), half_variance.data(), width,
                                  length, least};
    ldprange::split_blocks(blocks, spreads.data(), weights.data(), spreads.size(), masses.data(), threads);
}

void mixture_weights(Array<const double> value, Array<const double> noise, Array<const double> centre,
                     Array<const double> parent, Array<const double> spreads, Array<const double> start, double counts,
                     std::size_t rounds, Array<double> weights) {
    const std::size_t count = value.size();
    require(noise.size() == count && centre.size() == count && parent.size() == count,
            "there must be a noise, a centre and a parent for each estimate");
    require(weights.size() == spreads.size() + 1 && start.size() == weights.size(),
            "there must be a weight for each part of the mixture");
    ldprange::mixture_weights(value.data(), noise.data(), centre.data(), parent.data(), count, spreads.data(),
                              spreads.size(), start.data(), counts, rounds, weights.data());
}

void mixture_means(Array<const double> value, Array<const double> noise, Array<const double> centre,
                   Array<const double> parent, Array<const double> spreads, Array<const double> weights,
                   Array<double> means, unsigned threads) {
    const std::size_t count = means.size();
    require(value.size() == count && noise.size() == count && centre.size() == count && parent.size() == count,
            "there must be an estimate, its noise, a centre and a parent for each mean");
    require_mixture(spreads, weights);
    ldprange::mixture_means(value.data(), noise.data(), centre.data(), parent.data(), count, spreads.data(),
                            weights.data(), spreads.size(), means.data(), threads);
}

template <class Type>
struct Argument {
    static auto as_it_is() { return nb::arg(); }
};

// An array of another type, or not in one piece, is an error: what a copy of it is filled with would be lost.
template <class... Of>
struct Argument<nb::ndarray<Of...>> {
    static auto as_it_is() { return nb::arg().noconvert(); }
};

template <class... Arguments>
void define(nb::module_& module, const char* name, void (*kernel)(Arguments...)) {
    module.def(name, kernel, Argument<Arguments>::as_it_is()..., nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

NB_MODULE(_compiled, module) {
    define(module, "draw_words", &draw_words);
    define(module, "draw_levels", &draw_levels);
    define(module, "split_by_level", &split_by_level<std::uint32_t>);
    define(module, "split_by_level", &split_by_level<std::int64_t>);
    define(module, "encode_contrast", &encode_contrast);
    define(module, "hash_hadamard", &hash_hadamard);
    module.def("hash_to_symbol", &hash_to_symbol);  // over before the interpreter could be let go of
    define(module, "draw_below", &draw_below);
    define(module, "respond", &respond);
    define(module, "encode_hadamard", &encode_hadamard);
    define(module, "hadamard_supports", &hadamard_supports);
    define(module, "encode_subset", &encode_subset);
    define(module, "rank_sets", &rank_sets);
    define(module, "sets_of_ranks", &sets_of_ranks);
    define(module, "set_sizes", &set_sizes);
    define(module, "copy_bits", &copy_bits);
    define(module, "tally", &tally);
    define(module, "sum_unary", &sum_unary);
    define(module, "sum_unary_groups", &sum_unary_groups);
    define(module, "split_blocks", &split_blocks);
    define(module, "mixture_weights", &mixture_weights);
    define(module, "mixture_means", &mixture_means);
    define(module, "walsh_hadamard", &walsh_hadamard);
    define(module, "sum_supports", &sum_supports);
    define(module, "weighted_rows", &weighted_rows);
    define(module, "weighted_pairs", &weighted_pairs);
    define(module, "product_sums", &product_sums);
    define(module, "joint_variances", &joint_variances);
}
