// The mean of a part of a mass, given an estimate of it and a mixture of what parts look like.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
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

// Where a number is none, std::max and std::min must give the first, which takes the processor several steps more.
LDPRANGE_INLINE float greater(float one, float other) { return one > other ? one : other; }
LDPRANGE_INLINE float lesser(float one, float other) { return one < other ? one : other; }

// The same in single precision, to 1e-7; nothing below e^-55, so that no denormal number comes of it.
LDPRANGE_INLINE float single_exponential(float exponent) {
    const float x = greater(exponent, -55.0f);
    constexpr float kShift = 0x1.8p23f, kLog2E = 0x1.715476p0f, kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;
    const float shifted = x * kLog2E + kShift, n = shifted - kShift;
    const float r = (x - n * kLn2High) - n * kLn2Low;
    const float square = r * r;  // the series to r^7/7!, by pairs, which can be worked on side by side
    const float first = 1.0f + r, second = 0.5f + r * (1.0f / 6.0f);
    const float third = 1.0f / 24.0f + r * (1.0f / 120.0f), fourth = 1.0f / 720.0f + r * (1.0f / 5040.0f);
    float sum = (first + square * second) + square * square * (third + square * fourth);
    std::uint32_t bits, places;
    std::memcpy(&bits, &sum, sizeof bits);
    std::memcpy(&places, &shifted, sizeof places);
    bits += places << 23;
    std::memcpy(&sum, &bits, sizeof sum);
    return exponent < -55.0f ? 0.0f : sum;
}

LDPRANGE_INLINE double possible(double mean, double parent) {
    const double some = mean < 0.0 ? 0.0 : mean;
    return some > parent ? parent : some;
}

// No value farther outside what is possible, in standard deviations of its noise, says more than this.
constexpr float kFarthest = 64.0f;

LDPRANGE_INLINE double not_too_far(double value, double parent, float deviation) {
    const double reach = static_cast<double>(kFarthest * deviation), least = value < -reach ? -reach : value;
    return least > parent + reach ? parent + reach : least;
}

// Single precision is enough for how far a mean lies from the nearest possible value, for that is neither more than
// the parent nor, but for a value far outside, than a few standard deviations of the noise: a mean is off by some 1e-5
// of the lesser of these, and by nothing where there is no noise. All lengths here are in such deviations.
LDPRANGE_WIDEST
void few_means(const double* value, const double* noise, const double* centre, const double* parent, std::size_t count,
               const double* spreads, const double* weights, std::size_t number, double* means) {
    using Lanes = std::array<float, kLanes>;
    std::array<Lanes, kMostParts> narrow, energy;  // of each part: the noise's deviation over the value's, log likelihood
    Lanes deviation, whole, away, beyond, aside, to_none, to_all, energy_none, energy_all, greatest, move, evidence;
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        deviation[i] = std::sqrt(static_cast<float>(noise[i]));
        const float scale = 1.0f / deviation[i];
        const double near = not_too_far(value[i], parent[i], deviation[i]), base = possible(value[i], parent[i]);
        whole[i] = static_cast<float>(parent[i]) * scale;
        away[i] = static_cast<float>(near - centre[i]) * scale;
        beyond[i] = static_cast<float>(near - base) * scale;
        aside[i] = static_cast<float>(centre[i] - base) * scale;
        to_none[i] = static_cast<float>(-base) * scale;
        to_all[i] = static_cast<float>(parent[i] - base) * scale;
        const float above_none = beyond[i] - to_none[i], below_all = to_all[i] - beyond[i];
        energy_none[i] = -0.5f * above_none * above_none;
        energy_all[i] = -0.5f * below_all * below_all;
        greatest[i] = greater(energy_none[i], energy_all[i]);
    }
    for (std::size_t k = 0; k < number; ++k) {
        const float spread = static_cast<float>(spreads[k]);
        LDPRANGE_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
            const float prior = spread * whole[i];
            narrow[k][i] = 1.0f / std::sqrt(1.0f + prior * prior);
            const float deviations = away[i] * narrow[k][i];
            energy[k][i] = -0.5f * deviations * deviations;
            greatest[i] = greater(greatest[i], energy[k][i]);
        }
    }
    // energies are taken from the greatest, so that not all likelihoods vanish
    const float of_ends = static_cast<float>(0.5 * weights[number]);
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const float none = of_ends * single_exponential(energy_none[i] - greatest[i]);
        const float all = of_ends * single_exponential(energy_all[i] - greatest[i]);
        move[i] = all * to_all[i] + none * to_none[i];
        evidence[i] = none + all;
    }
    for (std::size_t k = 0; k < number; ++k) {
        const float spread = static_cast<float>(spreads[k]), weight = static_cast<float>(weights[k]);
        LDPRANGE_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
            const float likely = weight * narrow[k][i] * single_exponential(energy[k][i] - greatest[i]);
            // from the value towards the centre, or from there towards the value: which of both is the shorter way
            const float prior = spread * whole[i], pull = away[i] * narrow[k][i] * narrow[k][i];
            const float from_centre = aside[i] + pull * prior * prior, from_value = beyond[i] - pull;
            const float mean = prior < 1.0f ? from_centre : from_value;
            move[i] += likely * lesser(greater(mean, to_none[i]), to_all[i]);
            evidence[i] += likely;
        }
    }
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const double moved = static_cast<double>(deviation[i] * (move[i] / evidence[i]));
        means[i] = possible(possible(value[i], parent[i]) + moved, parent[i]);
    }
}

// What is known of the left halves of some blocks. Where these and their neighbours lie `kInside` the domain, there is
// nothing to decide, and the loop vectorises.
template <bool kInside>
LDPRANGE_INLINE void halves(const Blocks& blocks, std::size_t first, std::size_t count, double* value, double* noise,
                            double* centre, double* parent) {
    const std::ptrdiff_t width = static_cast<std::ptrdiff_t>(blocks.width), bins = static_cast<std::ptrdiff_t>(blocks.bins);
    LDPRANGE_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        const std::ptrdiff_t cut = static_cast<std::ptrdiff_t>(first + i) + 1, block = cut + width - 1;
        const std::ptrdiff_t low = kInside ? cut - width : std::max<std::ptrdiff_t>(cut - width, 0);
        const std::ptrdiff_t high = kInside ? cut + width : std::min(cut + width, bins);
        const double total = blocks.variance[block], left = blocks.half_variance[cut - 1];
        const double covariance = 0.5 * (total + left - blocks.half_variance[block]);
        const double slope = total > 0 ? covariance / total : 0.0, mass = blocks.mass[block];
        const double begin = blocks.upto[low], known = left - slope * covariance;
        value[i] = blocks.upto[cut] - begin + slope * (mass - (blocks.upto[high] - begin));
        noise[i] = known < blocks.least ? blocks.least : known;
        double about;
        if constexpr (kInside) {
            about = 0.5 * mass + 0.125 * (blocks.mass[block - width] - blocks.mass[block + width]);
        } else {
            const double length = blocks.length;
            const bool inside = cut >= width && static_cast<double>(cut + width) <= length;
            const std::ptrdiff_t before = inside && cut >= 2 * width,
                                 after = inside && static_cast<double>(cut + 2 * width) <= length;
            const double fall = blocks.mass[block - before * width] - blocks.mass[block + after * width];
            const double size = std::min(static_cast<double>(high), length) - static_cast<double>(low);
            about = mass * static_cast<double>(cut - low) / size +
                    fall / static_cast<double>(std::max<std::ptrdiff_t>(before + after, 1)) / 4;
        }
        about = about < 0.0 ? 0.0 : about;
        centre[i] = about > mass ? mass : about;
        parent[i] = mass;
    }
}

LDPRANGE_WIDEST
void few_halves(const Blocks& blocks, std::size_t first, std::size_t count, double* value, double* noise, double* centre,
                double* parent) {
    if (first + 1 >= 2 * blocks.width && static_cast<double>(first + count + 2 * blocks.width) <= blocks.length)
        halves<true>(blocks, first, count, value, noise, centre, parent);
    else
        halves<false>(blocks, first, count, value, noise, centre, parent);
}

// A half is the left one of the block that begins where it does, and the right one of that `width` before: it takes the
// mean of what they give it, or what one does if the other's mass is not a number.
LDPRANGE_WIDEST
void both_parents(const double* mass, const double* left, std::size_t width, std::size_t start, std::size_t stop,
                  double* masses) {
    LDPRANGE_INDEPENDENT
    for (std::size_t i = start; i < stop; ++i) {
        const double one = left[i + width], other = mass[i] - left[i], mean = 0.5 * (one + other);
        const double known = one == one ? one : other;
        masses[i] = mean == mean ? mean : known;
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

void split_blocks(const Blocks& blocks, const double* spreads, const double* weights, std::size_t number, double* masses,
                  unsigned threads) {
    const std::size_t width = blocks.width, cuts = blocks.bins - 1;
    const std::unique_ptr<double[]> left(new double[cuts + 2 * width]);
    double* cut = std::fill_n(left.get(), width, 0.0);  // a half outside the domain holds nobody
    std::copy_n(blocks.mass + width + cuts, width, cut + cuts);
    in_threads(cuts, kGrain, threads, [&](std::size_t start, std::size_t stop) {
        std::array<double, kLanes> value, noise, centre, parent;
        for (std::size_t at = start; at < stop; at += kLanes) {
            const std::size_t count = std::min(kLanes, stop - at);
            few_halves(blocks, at, count, value.data(), noise.data(), centre.data(), parent.data());
            few_means(value.data(), noise.data(), centre.data(), parent.data(), count, spreads, weights, number,
                      cut + at);
        }
    });
    in_threads(width + cuts, kGrain, threads, [&](std::size_t start, std::size_t stop) {
        both_parents(blocks.mass, left.get(), width, start, stop, masses);
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
