// Weighted sums over a few neighbouring rows of a table: what the variances of ranges are made of.
#include <stdexcept>

#include "kernels.hpp"
#include "loops.hpp"

namespace ldprange {
namespace {

constexpr std::size_t kGrain = 1u << 10;  // sums that are worth a thread

// Returns where `count` neighbours begin, all of which must lie in [0, length).
std::size_t begin(std::int64_t first, std::size_t count, std::size_t length) {
    if (first < 0 || static_cast<std::uint64_t>(first) + count > length)
        throw std::invalid_argument("every row must lie in its table");
    return static_cast<std::size_t>(first);
}

// Adds up `number` rows of `width` columns, `columns` apart, each times its weight.
LDPRANGE_WIDEST
void weighted_row(const double* row, std::size_t columns, const double* weights, std::size_t number, double* sum,
                  std::size_t width) {
    std::size_t j = 0;
    for (; j + 8 <= width; j += 8) {
        double lanes[8] = {};
        for (std::size_t k = 0; k < number; ++k)
            for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += weights[k] * row[k * columns + j + lane];
        for (std::size_t lane = 0; lane < 8; ++lane) sum[j + lane] = lanes[lane];
    }
    for (; j < width; ++j) {
        sum[j] = 0;
        for (std::size_t k = 0; k < number; ++k) sum[j] += weights[k] * row[k * columns + j];
    }
}

}  // namespace

void weighted_rows(const Table& table, const std::int64_t* first, const std::int64_t* column, const double* weights,
                   std::size_t number, std::size_t count, double* sums, std::size_t width, unsigned threads) {
    in_threads(count, kGrain, threads, [&](std::size_t start, std::size_t stop) {
        for (std::size_t i = start; i < stop; ++i) {
            const double* row = table.values + begin(first[i], number, table.rows) * table.columns +
                                begin(column[i], width, table.columns);
            weighted_row(row, table.columns, weights + i * number, number, sums + i * width, width);
        }
    });
}

void weighted_pairs(const Table& table, const std::int64_t* first, const double* weights, std::size_t number,
                    const std::int64_t* column, const double* others, std::size_t width, std::size_t count,
                    double* sums, unsigned threads) {
    in_threads(count, kGrain, threads, [&](std::size_t start, std::size_t stop) {
        for (std::size_t i = start; i < stop; ++i) {
            const double* row = table.values + begin(first[i], number, table.rows) * table.columns +
                                begin(column[i], width, table.columns);
            double sum = 0;
            for (std::size_t k = 0; k < number; ++k, row += table.columns) {
                double along = 0;
                for (std::size_t j = 0; j < width; ++j) along += others[i * width + j] * row[j];
                sum += weights[i * number + k] * along;
            }
            sums[i] = sum;
        }
    });
}

namespace {

LDPRANGE_WIDEST
double product_sum(const double* one, const double* other, const double* weights, std::size_t length) {
    double lanes[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= length; j += 8)
        for (std::size_t lane = 0; lane < 8; ++lane)
            lanes[lane] += one[j + lane] * other[j + lane] * weights[j + lane];
    double sum = 0;
    for (const double lane : lanes) sum += lane;
    for (; j < length; ++j) sum += one[j] * other[j] * weights[j];
    return sum;
}

}  // namespace

void product_sums(const Table& table, const std::int64_t* one, const std::int64_t* other, const Table& weights,
                  const std::int64_t* which, std::size_t count, double* sums, unsigned threads) {
    in_threads(count, kGrain / 16, threads, [&](std::size_t start, std::size_t stop) {
        for (std::size_t i = start; i < stop; ++i)
            sums[i] = product_sum(table.values + begin(one[i], 1, table.rows) * table.columns,
                                  table.values + begin(other[i], 1, table.rows) * table.columns,
                                  weights.values + begin(which[i], 1, weights.rows) * table.columns, table.columns);
    });
}

}  // namespace ldprange
