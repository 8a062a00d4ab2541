// The mean of a part of a mass, given an estimate of it and a mixture of what parts look like.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels.hpp"
#include "loops.hpp"

namespace ldprange {
namespace {

constexpr std::size_t kGrain = 1u << 12;  // means that are worth a thread
constexpr std::size_t kLanes = 256;       // means worked on together

// e^x for x ≤ 0, to a few units in the last place, in steps that vectorise: 2^n e^r, r = x − n ln 2. The sum with
// `kShift` leaves n in the lowest bits, from where it is moved into the exponent. Below e^-600 it stays what it is
// there, so that times a small weight it is still no denormal number, which would be slow.
LDPRANGE_INLINE double exponential(double x) {
    constexpr double kShift = 0x1.8p52, kLog2E = 0x1.71547652b82fep0;
    constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
    x = std::max(x, -600.0);
    const double shifted = x * kLog2E + kShift, n = shifted - kShift;
    const double r = (x - n * kLn2High) - n * kLn2Low;
    double sum = 1.0 / 6227020800.0;  // 1/13!, and so on down
    sum = sum * r + 1.0 / 479001600.0;
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r + 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum = sum * r + 1.0;
    sum = sum * r + 1.0;
    std::uint64_t bits, places;
    std::memcpy(&bits, &sum, sizeof bits);
    std::memcpy(&places, &shifted, sizeof places);
    bits += places << 52;
    std::memcpy(&sum, &bits, sizeof sum);
    return sum;
}

LDPRANGE_WIDEST
void few_means(const double* value, const double* noise, const double* centre, const double* parent, std::size_t count,
               const double* spreads, const double* weights, std::size_t number, double* means) {
    // of each part, and of the ends; divisions are what takes time, so none is done twice
    std::array<std::array<double, kLanes>, kMostParts> precision;
    std::array<double, kLanes> greatest, above, below;
    auto& of_ends = precision[number];
    // exponents are taken from the greatest, so that they do not all vanish
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const double off = value[i] - parent[i];
        of_ends[i] = 1.0 / noise[i];
        greatest[i] = -0.5 * std::min(value[i] * value[i], off * off) * of_ends[i];
    }
    for (std::size_t k = 0; k < number; ++k) {
        LDPRANGE_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
            const double prior = spreads[k] * parent[i], away = value[i] - centre[i];
            precision[k][i] = 1.0 / (noise[i] + prior * prior);
            greatest[i] = std::max(greatest[i], -0.5 * away * away * precision[k][i]);
        }
    }
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const double off = value[i] - parent[i], scale = 0.5 * weights[number] * std::sqrt(of_ends[i]);
        const double nothing = scale * exponential(-0.5 * value[i] * value[i] * of_ends[i] - greatest[i]);
        const double everything = scale * exponential(-0.5 * off * off * of_ends[i] - greatest[i]);
        above[i] = everything * parent[i];
        below[i] = nothing + everything;
    }
    for (std::size_t k = 0; k < number; ++k) {
        LDPRANGE_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
            const double share = spreads[k] * parent[i], away = value[i] - centre[i], known = precision[k][i];
            const double weight = weights[k] * std::sqrt(known) * exponential(-0.5 * away * away * known - greatest[i]);
            const double mean = std::min(std::max(centre[i] + away * share * share * known, 0.0), parent[i]);
            above[i] += weight * mean;
            below[i] += weight;
        }
    }
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) means[i] = std::min(above[i] / below[i], parent[i]);
}

LDPRANGE_WIDEST
void few_halves(const Blocks& blocks, std::size_t first, std::size_t count, double* value, double* noise, double* centre,
                double* parent) {
    const std::ptrdiff_t width = static_cast<std::ptrdiff_t>(blocks.width), bins = static_cast<std::ptrdiff_t>(blocks.bins);
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const std::ptrdiff_t cut = static_cast<std::ptrdiff_t>(first + i) + 1, block = cut + width - 1;
        const std::ptrdiff_t low = std::max<std::ptrdiff_t>(cut - width, 0), high = std::min(cut + width, bins);
        const double total = blocks.variance[block], left = blocks.half_variance[cut - 1];
        const double covariance = 0.5 * (total + left - blocks.half_variance[block]);
        const double slope = total > 0 ? covariance / total : 0.0, mass = blocks.mass[block];
        const double begin = blocks.upto[low];
        value[i] = blocks.upto[cut] - begin + slope * (mass - (blocks.upto[high] - begin));
        noise[i] = std::max(left - slope * covariance, blocks.least);
        const bool inside = cut >= width && cut + width <= bins;
        const std::ptrdiff_t before = inside && cut >= 2 * width ? 1 : 0, after = inside && cut + 2 * width <= bins ? 1 : 0;
        const double fall = blocks.mass[block - before * width] - blocks.mass[block + after * width];
        const double even = mass * static_cast<double>(cut - low) / static_cast<double>(high - low);
        const double about = even + fall / static_cast<double>(std::max<std::ptrdiff_t>(before + after, 1)) / 4;
        centre[i] = std::min(std::max(about, 0.0), mass);
        parent[i] = mass;
    }
}

// The likelihood of every part of the mixture, a row each, the greatest of a column e^0 over the root of its variance.
LDPRANGE_WIDEST
void likelihoods(const double* value, const double* noise, const double* centre, const double* parent, std::size_t count,
                 const double* spreads, std::size_t number, double* greatest, double* rows) {
    double* last = rows + number * count;
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const double off = value[i] - parent[i];
        greatest[i] = -0.5 * std::min(value[i] * value[i], off * off) / noise[i];
    }
    for (std::size_t k = 0; k < number; ++k) {
        double* row = rows + k * count;
        LDPRANGE_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
            const double prior = spreads[k] * parent[i], away = value[i] - centre[i];
            row[i] = -0.5 * away * away / (noise[i] + prior * prior);
            greatest[i] = std::max(greatest[i], row[i]);
        }
    }
    for (std::size_t k = 0; k < number; ++k) {
        double* row = rows + k * count;
        LDPRANGE_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
            const double prior = spreads[k] * parent[i];
            row[i] = exponential(row[i] - greatest[i]) / std::sqrt(noise[i] + prior * prior);
        }
    }
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const double off = value[i] - parent[i];
        const double nothing = exponential(-0.5 * value[i] * value[i] / noise[i] - greatest[i]);
        const double everything = exponential(-0.5 * off * off / noise[i] - greatest[i]);
        last[i] = 0.5 * (nothing + everything) / std::sqrt(noise[i]);
    }
}

// One round of expectation maximisation: how many of the columns are of each part, given the weights.
LDPRANGE_WIDEST
void numbers_of_parts(const double* rows, std::size_t count, const double* weights, std::size_t parts, double* whole,
                      double* numbers) {
    std::fill(whole, whole + count, 0.0);
    for (std::size_t k = 0; k < parts; ++k) {
        const double *row = rows + k * count, weight = weights[k];
        LDPRANGE_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) whole[i] += weight * row[i];
    }
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) whole[i] = 1.0 / whole[i];
    for (std::size_t k = 0; k < parts; ++k) {
        const double* row = rows + k * count;
        std::array<double, 8> sums{};  // side by side, so that they can be added up together
        std::size_t i = 0;
        for (; i + 8 <= count; i += 8)
            LDPRANGE_UNROLL
            for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += row[i + lane] * whole[i + lane];
        for (; i < count; ++i) sums[0] += row[i] * whole[i];
        double sum = 0.0;
        for (const double lane : sums) sum += lane;
        numbers[k] = weights[k] * sum;
    }
}

}  // namespace

void mixture_weights(const double* value, const double* noise, const double* centre, const double* parent,
                     std::size_t count, const double* spreads, std::size_t number, const double* start, double counts,
                     std::size_t rounds, double* weights) {
    const std::size_t parts = number + 1;
    std::vector<double> rows(parts * count), whole(count), numbers(parts);
    likelihoods(value, noise, centre, parent, count, spreads, number, whole.data(), rows.data());
    std::fill(weights, weights + parts, 1.0 / static_cast<double>(parts));
    for (std::size_t round = 0; round < rounds; ++round) {
        numbers_of_parts(rows.data(), count, weights, parts, whole.data(), numbers.data());
        double sum = 0.0;
        for (std::size_t k = 0; k < parts; ++k) sum += weights[k] = numbers[k] * counts + start[k];
        for (std::size_t k = 0; k < parts; ++k) weights[k] /= sum;
    }
}

void split_blocks(const Blocks& blocks, const double* spreads, const double* weights, std::size_t number, double* left,
                  unsigned threads) {
    in_threads(blocks.bins - 1, kGrain, threads, [&](std::size_t start, std::size_t stop) {
        std::array<double, kLanes> value, noise, centre, parent;
        for (std::size_t at = start; at < stop; at += kLanes) {
            const std::size_t count = std::min(kLanes, stop - at);
            few_halves(blocks, at, count, value.data(), noise.data(), centre.data(), parent.data());
            few_means(value.data(), noise.data(), centre.data(), parent.data(), count, spreads, weights, number,
                      left + at);
        }
    });
}

void mixture_means(const double* value, const double* noise, const double* centre, const double* parent,
                   std::size_t count, const double* spreads, const double* weights, std::size_t number, double* means,
                   unsigned threads) {
    in_threads(count, kGrain, threads, [&](std::size_t start, std::size_t stop) {
        for (std::size_t at = start; at < stop; at += kLanes)
            few_means(value + at, noise + at, centre + at, parent + at, std::min(kLanes, stop - at), spreads, weights,
                      number, means + at);
    });
}

}  // namespace ldprange
