// The kernels that work on several threads, without Python, for the thread sanitizer: scripts/sanitize thread.
// Each must come to the same on one thread and on four; the sanitizer sees whether the four touch each other's data.
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
        std::fprintf(stderr, "%s comes to something else on several threads\n", kernel);
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
    std::puts("no race in nine kernels, and the same results");
}
