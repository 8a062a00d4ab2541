// The kernels: plain arrays in, plain arrays out. What each does is said by its NumPy twin.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ldprange {

// `state` is SFC64's, and is left where NumPy's own generator would be

// encode.cpp
void draw_words(std::uint64_t* state, std::uint32_t* words, std::size_t count);
void draw_levels(std::uint64_t* state, std::uint8_t* chosen, std::size_t count, const std::uint64_t* thresholds,
                 std::size_t number);
template <class Item>  // std::uint32_t or std::int64_t
void split_by_level(const Item* items, const std::uint8_t* chosen, std::size_t count,
                    std::uint32_t* grouped, std::int64_t* bounds, std::size_t levels);
void encode_contrast(std::uint64_t* state, const std::uint32_t* items, std::uint32_t* codes, std::size_t count,
                     std::uint32_t pairs, std::uint32_t threshold);

// coins.cpp
void draw_below(std::uint64_t* state, std::uint32_t* drawn, std::size_t count, std::uint32_t bound);
void respond(std::uint64_t* state, std::uint32_t* symbols, std::size_t count, std::uint32_t number,
             std::uint32_t threshold);  // in place

// hadamard.cpp
void hash_hadamard(const std::uint32_t* index, const std::uint32_t* items, std::uint32_t* symbols,
                   std::size_t count, unsigned bits, std::uint32_t lowest);
std::uint32_t hash_to_symbol(std::uint32_t line, std::uint32_t item, unsigned bits, unsigned digits);
void encode_hadamard(std::uint64_t* state, const std::uint32_t* items, std::uint32_t* codes, std::size_t count,
                     unsigned bits, unsigned digits, std::uint32_t threshold);
void hadamard_supports(const std::int64_t* counts, std::size_t rows, double* supports, std::size_t cells,
                       unsigned bits, unsigned digits, unsigned threads);

// subsets.cpp
void encode_subset(std::uint64_t* state, const std::uint32_t* items, std::uint8_t* rows, std::size_t count,
                   std::size_t cells, std::size_t size, std::uint32_t threshold, std::size_t together);

// sets.cpp
void rank_sets(const std::uint8_t* rows, std::size_t count, std::size_t width, const std::uint64_t* table,
               std::size_t size, std::size_t cells, std::uint64_t* ranks);
void sets_of_ranks(const std::uint64_t* ranks, std::size_t count, const std::uint64_t* terms, std::size_t size,
                   std::size_t cells, std::uint8_t* rows);
void set_sizes(const std::uint8_t* rows, std::size_t count, std::size_t width, std::uint32_t* sizes);

// bits.cpp
void copy_bits(const std::uint8_t* source, std::size_t size, std::size_t from, std::size_t step, std::uint8_t* target,
               std::size_t target_size, std::size_t to, std::size_t to_step, std::size_t bits, std::size_t count);

// tally.cpp
void tally(const std::uint32_t* codes, std::size_t count, std::int64_t* counts, std::size_t outputs,
           unsigned threads);
void sum_unary(const std::uint8_t* packed, std::size_t rows, std::size_t width, std::int64_t* counts,
               std::size_t cells, unsigned threads);
void sum_unary_groups(const std::uint8_t* packed, const std::uint32_t* groups, std::size_t rows,
                      std::int64_t* counts, std::size_t number, std::size_t cells);
std::uint32_t greatest(const std::uint32_t* codes, std::size_t count);  // 0 of none

// mixtures.cpp
constexpr std::size_t kMostParts = 8;  // of a mixture
struct Blocks {  // of 2 × width bins, from the one that only ends in the domain on
    const double* upto;  // the estimated share below each of bins + 1 boundaries
    std::size_t bins;
    const double* mass;      // of each block
    const double* variance;  // of its estimate
    const double* half_variance;
    std::size_t width;
    double length;  // of the line, in bins: of the last one only a part may lie on it
    double least;   // variance of any estimate
};
void split_blocks(const Blocks& blocks, const double* spreads, const double* weights, std::size_t number, double* masses,
                  unsigned threads);
void mixture_weights(const double* value, const double* noise, const double* centre, const double* parent,
                     std::size_t count, const double* spreads, std::size_t number, const double* start, double counts,
                     std::size_t rounds, double* weights);
void mixture_means(const double* value, const double* noise, const double* centre, const double* parent,
                   std::size_t count, const double* spreads, const double* weights, std::size_t number, double* means,
                   unsigned threads);

// walsh_hadamard.cpp
void walsh_hadamard(double* values, std::size_t rows, unsigned bits, unsigned threads);

// hashing.cpp
void sum_supports(const std::uint32_t* constant, const std::uint32_t* linear, const std::uint32_t* quadratic,
                  const std::uint32_t* reported, const std::int64_t* bounds, std::size_t groups,
                  std::int64_t* counts, std::size_t cells, unsigned exponent, std::uint32_t symbols,
                  unsigned threads);

// weighted_sums.cpp
struct Table {
    const double* values;
    std::size_t rows, columns;
};
void weighted_rows(const Table& table, const std::int64_t* first, const std::int64_t* column, const double* weights,
                   std::size_t number, std::size_t count, double* sums, std::size_t width, unsigned threads);
void weighted_pairs(const Table& table, const std::int64_t* first, const double* weights, std::size_t number,
                    const std::int64_t* column, const double* others, std::size_t width, std::size_t count,
                    double* sums, unsigned threads);
void product_sums(const Table& table, const std::int64_t* one, const std::int64_t* other, const Table& weights,
                  const std::int64_t* which, std::size_t count, double* sums, unsigned threads);

// joint_variances.cpp
struct JointTable {  // of two attributes: what their variances depend on
    const double* upto;  // in rows of this width
    std::size_t width;
    const double *shrink, *spread, *scales, *held;  // rows × columns each: by depths of both
    std::size_t rows, columns;
    double users;
};
void joint_variances(const std::int64_t* low, const std::int64_t* high, std::size_t count,
                     const std::int64_t* row_sizes, const std::int64_t* column_sizes, const JointTable& table,
                     double* variances, unsigned threads);  // 2 × count ends

}  // namespace ldprange
