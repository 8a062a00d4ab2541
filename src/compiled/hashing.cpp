// Decoding of local hashing: for every report and cell, whether the cell's hash is the symbol that was sent.
#include <algorithm>
#include <array>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "kernels.hpp"
#include "loops.hpp"

namespace ldprange {
namespace {

constexpr std::size_t kReports = 512;        // whose quadratics go from cell to cell together: 10 KiB
constexpr std::size_t kThreaded = 1u << 18;  // fewer hashes than this are not worth a thread

}  // namespace

// Quadratics over the prime field, at some cell: the value, the step to the next cell, and what steps grow by. The
// symbol is the one that was sent if the value lies in an interval, so nothing is ever multiplied or divided.
struct Quadratics {
    std::array<std::uint32_t, kReports> value, step, growth, low, width;
};

// Counts for cell after cell how many of the values lie in their intervals.
LDPRANGE_WIDEST
void go_over_cells(Quadratics& reports, std::size_t number, std::uint32_t prime, std::int64_t* counts,
                   std::size_t cells) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
        std::uint32_t agree = 0;
        LDPRANGE_INDEPENDENT
        for (std::size_t i = 0; i < number; ++i) {
            const std::uint32_t value = reports.value[i];
            agree += value - reports.low[i] < reports.width[i];
            // a sum of two is less than 2**32; where it does not reach the prime, the difference wraps and is larger
            const std::uint32_t sum = value + reports.step[i];
            reports.value[i] = std::min(sum, sum - prime);
            const std::uint32_t grown = reports.step[i] + reports.growth[i];
            reports.step[i] = std::min(grown, grown - prime);
        }
        counts[cell] += agree;
    }
}

void sum_supports(const std::uint32_t* constant, const std::uint32_t* linear, const std::uint32_t* quadratic,
                  const std::uint32_t* reported, const std::int64_t* bounds, std::size_t groups,
                  std::int64_t* counts, std::size_t cells, unsigned exponent, std::uint32_t symbols,
                  unsigned threads) {
    const std::uint32_t prime = (std::uint32_t{1} << exponent) - 1;
    std::fill_n(counts, groups * cells, 0);
    const std::size_t rows = static_cast<std::size_t>(bounds[groups]);
    for (const std::uint32_t* field : {constant, linear, quadratic})
        if (rows && *std::max_element(field, field + rows) >= prime)
            throw std::invalid_argument("every coefficient must lie below the prime");
    if (rows && *std::max_element(reported, reported + rows) >= symbols)
        throw std::invalid_argument("every symbol must lie below the number of symbols");
    // the least value that hashes to a symbol: ⌈symbol · 2**exponent / symbols⌉
    const auto edge = [&](std::uint64_t symbol) { return ((symbol << exponent) + symbols - 1) / symbols; };
    std::mutex adding;
    const std::size_t grain = std::max(kReports, kThreaded / std::max<std::size_t>(1, cells));
    in_threads(rows, grain, threads, [&](std::size_t begin, std::size_t end) {
        Quadratics reports;
        std::vector<std::int64_t> sums(cells);
        for (std::size_t group = 0; group < groups; ++group) {
            const std::size_t first = std::max(begin, static_cast<std::size_t>(bounds[group]));
            const std::size_t last = std::min(end, static_cast<std::size_t>(bounds[group + 1]));
            if (first >= last) continue;
            std::fill(sums.begin(), sums.end(), 0);
            for (std::size_t at = first; at < last; at += kReports) {
                const std::size_t number = std::min(kReports, last - at);
                for (std::size_t i = 0; i < number; ++i) {
                    const std::uint64_t a1 = linear[at + i], a2 = quadratic[at + i], symbol = reported[at + i];
                    reports.value[i] = constant[at + i];
                    reports.step[i] = static_cast<std::uint32_t>((a1 + a2) % prime);
                    reports.growth[i] = static_cast<std::uint32_t>(2 * a2 % prime);
                    reports.low[i] = static_cast<std::uint32_t>(edge(symbol));
                    reports.width[i] = static_cast<std::uint32_t>(edge(symbol + 1) - edge(symbol));
                }
                go_over_cells(reports, number, prime, sums.data(), cells);
            }
            const std::lock_guard<std::mutex> alone(adding);
            std::transform(sums.begin(), sums.end(), counts + group * cells, counts + group * cells,
                           [](std::int64_t a, std::int64_t b) { return a + b; });
        }
    });
}

}  // namespace ldprange
