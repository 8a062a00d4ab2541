// The Walsh–Hadamard transform. Every bit of the index has its turn, in any order, so the low bits are done within
// blocks that stay in the second cache, and the rest some columns at a time, gathered so that they stay there too: a
// large array is read and written twice.
#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels.hpp"
#include "loops.hpp"

namespace ldprange {
namespace {

constexpr unsigned kLowestBits = 4;          // done while the array is read
constexpr unsigned kInnerBits = 12;          // 32 KiB: done first, within the first cache
constexpr unsigned kBlockBits = 15;          // 256 KiB
constexpr unsigned kMostHighBits = 8;        // with kColumns 128 KiB
constexpr std::size_t kColumns = 64;         // of 8 bytes: long enough for the processor to fetch ahead
constexpr std::size_t kThreaded = 1u << 16;  // fewer doubles than this are not worth a thread

// Sums and differences of 2**Bits numbers at a stride. They pass through registers once.
template <unsigned Bits>
inline void butterflies(const double* values, double* result, std::size_t stride) {
    constexpr unsigned kNumber = 1u << Bits;
    double x[kNumber];
#pragma GCC unroll 16
    for (unsigned i = 0; i < kNumber; ++i) x[i] = values[i * stride];
#pragma GCC unroll 4
    for (unsigned bit = 0; bit < Bits; ++bit) {
#pragma GCC unroll 16
        for (unsigned i = 0; i < kNumber; ++i) {
            const unsigned j = i | 1u << bit;
            if (i == j) continue;
            const double sum = x[i] + x[j], difference = x[i] - x[j];
            x[i] = sum;
            x[j] = difference;
        }
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < kNumber; ++i) result[i * stride] = x[i];
}

template <unsigned Bits>
inline void every(double* values, std::size_t size, std::size_t stride) {
    for (std::size_t start = 0; start < size; start += stride << Bits) {
        LDPRANGE_INDEPENDENT
        for (std::size_t j = 0; j < stride; ++j) butterflies<Bits>(values + start + j, values + start + j, stride);
    }
}

}  // namespace

// Transforms `bits` bits of the index of 2**bits rows of `width` numbers each, in place.
LDPRANGE_WIDEST
void transform(double* values, unsigned bits, std::size_t width) {
    const std::size_t size = width << bits;
    std::size_t stride = width;
    for (; bits >= 4; bits -= 4, stride *= 16) every<4>(values, size, stride);
    if (bits == 3) every<3>(values, size, stride);
    if (bits == 2) every<2>(values, size, stride);
    if (bits == 1) every<1>(values, size, stride);
}

// Transforms the lowest four bits, from one array into another: neighbours, which are no loop for wide registers.
LDPRANGE_WIDEST
void transform_lowest(const double* values, double* result, std::size_t size) {
    for (std::size_t start = 0; start < size; start += 16) butterflies<4>(values + start, result + start, 1);
}

namespace {

// Transforms the next `step` bits above the lowest `done` of the whole array, some columns at a time.
void transform_high(double* values, std::size_t size, unsigned done, unsigned step, unsigned threads) {
    const std::size_t stride = std::size_t{1} << done, rows = std::size_t{1} << step;
    const std::size_t across = stride / kColumns;  // tiles side by side
    in_threads(size / (rows * kColumns), std::max<std::size_t>(1, kThreaded / (rows * kColumns)), threads,
               [&](std::size_t begin, std::size_t end) {
                   std::vector<double> tile(rows * kColumns);
                   for (std::size_t number = begin; number < end; ++number) {
                       double* corner = values + number / across * (stride * rows) + number % across * kColumns;
                       for (std::size_t row = 0; row < rows; ++row)
                           std::memcpy(&tile[row * kColumns], corner + row * stride, kColumns * sizeof(double));
                       transform(tile.data(), step, kColumns);
                       for (std::size_t row = 0; row < rows; ++row) {
                           double* place = corner + row * stride;
                           std::memcpy(place, &tile[row * kColumns], kColumns * sizeof(double));
                           for (std::size_t column = 0; column < kColumns; column += 8)
                               LDPRANGE_FETCH(place + kColumns + column);  // most often of the next tile
                       }
                   }
               });
}

}  // namespace

void walsh_hadamard(const double* values, double* result, std::size_t rows, unsigned bits, unsigned threads) {
    const std::size_t size = rows << bits;
    if (bits < kLowestBits) {
        std::copy(values, values + size, result);
        for (std::size_t at = 0; at < size; at += std::size_t{1} << bits) transform(result + at, bits, 1);
        return;
    }
    const unsigned low = std::min(bits, kBlockBits), inner = std::min(bits, kInnerBits);
    const std::size_t block = std::size_t{1} << low, part = std::size_t{1} << inner;
    in_threads(size, std::max(block, kThreaded), threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t start = begin; start < end; start += block) {
            for (std::size_t at = start; at < start + block; at += part) {
                transform_lowest(values + at, result + at, part);
                transform(result + at, inner - kLowestBits, std::size_t{1} << kLowestBits);
            }
            transform(result + start, low - inner, part);
        }
    });
    const unsigned passes = (bits - low + kMostHighBits - 1) / kMostHighBits;
    unsigned done = low;
    for (unsigned pass = 0; pass < passes; ++pass) {
        const unsigned step = (bits - done) / (passes - pass);
        transform_high(result, size, done, step, threads);
        done += step;
    }
}

}  // namespace ldprange
