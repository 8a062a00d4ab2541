// The Walsh–Hadamard transform. Every bit of the index has its turn, in any order, so the low bits are done within
// blocks that stay in the second cache, and the rest some columns at a time, gathered so that they stay there too: a
// large array is read and written twice.
#include <algorithm>
#include <vector>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

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

// Sums and differences of 2**Bits numbers at a stride, each of them of one number or of a register's. They pass
// through registers once.
template <unsigned Bits, class Number>
inline void butterflies(Number (&x)[1u << Bits]) {
#pragma GCC unroll 4
    for (unsigned bit = 0; bit < Bits; ++bit) {
#pragma GCC unroll 16
        for (unsigned i = 0; i < 1u << Bits; ++i) {
            const unsigned j = i | 1u << bit;
            if (i == j) continue;
            const Number sum = x[i] + x[j], difference = x[i] - x[j];
            x[i] = sum;
            x[j] = difference;
        }
    }
}

// Transforms one bit after another of 2**Bits rows, `width` neighbours of each, from one place to another.
template <unsigned Bits>
inline void across(const double* values, std::size_t stride, double* result, std::size_t result_stride,
                   std::size_t width) {
    LDPRANGE_INDEPENDENT
    for (std::size_t j = 0; j < width; ++j) {
        double x[1u << Bits];
#pragma GCC unroll 16
        for (unsigned i = 0; i < 1u << Bits; ++i) x[i] = values[i * stride + j];
        butterflies<Bits>(x);
#pragma GCC unroll 16
        for (unsigned i = 0; i < 1u << Bits; ++i) result[i * result_stride + j] = x[i];
    }
}

template <unsigned Bits>
inline void every(double* values, std::size_t size, std::size_t stride) {
    for (std::size_t start = 0; start < size; start += stride << Bits)
        across<Bits>(values + start, stride, values + start, stride, stride);
}

}  // namespace

// Transforms `bits` bits of the index of 2**bits rows of `width` numbers each, in place.
LDPRANGE_WIDEST
void transform(double* values, unsigned bits, std::size_t width) {
    const std::size_t size = width << bits;
    std::size_t stride = width;
    if (width == 1u << kLowestBits && bits == kInnerBits - kLowestBits) {  // strides known now, most often used
        every<4>(values, 1u << kInnerBits, 1u << kLowestBits);
        every<4>(values, 1u << kInnerBits, 1u << (kLowestBits + 4));
        return;
    }
    for (; bits >= 4; bits -= 4, stride *= 16) every<4>(values, size, stride);
    if (bits == 3) every<3>(values, size, stride);
    if (bits == 2) every<2>(values, size, stride);
    if (bits == 1) every<1>(values, size, stride);
}

// Transforms the lowest four bits, from one array into another.
LDPRANGE_WIDEST
void transform_lowest(const double* values, double* result, std::size_t size) {
    for (std::size_t start = 0; start < size; start += 16) {
#if defined(__aarch64__)  // neighbours are no loop for wide registers; two by two they are
        float64x2_t x[8];
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; ++i) x[i] = vld1q_f64(values + start + 2 * i);
        butterflies<3>(x);
#pragma GCC unroll 4
        for (unsigned i = 0; i < 8; i += 2) {
            const float64x2_t even = vuzp1q_f64(x[i], x[i + 1]), odd = vuzp2q_f64(x[i], x[i + 1]);
            const float64x2_t sum = even + odd, difference = even - odd;
            vst1q_f64(result + start + 2 * i, vzip1q_f64(sum, difference));
            vst1q_f64(result + start + 2 * i + 2, vzip2q_f64(sum, difference));
        }
#else
        double x[16];
        std::copy(values + start, values + start + 16, x);
        butterflies<4>(x);
        std::copy(x, x + 16, result + start);
#endif
    }
}

// Transforms Upper + Lower bits of the index of rows, kColumns neighbours of each, in place: the upper bits on the way
// into a tile, the lower ones on the way back. Rows lie a power of two apart, so that a cache can hold few of them at
// a time: eight are read together.
template <unsigned Upper, unsigned Lower>
inline void through_tile(double* corner, std::size_t stride, double* tile) {
    for (std::size_t row = 0; row < 1u << Lower; ++row)
        across<Upper>(corner + row * stride, stride << Lower, tile + row * kColumns, kColumns << Lower, kColumns);
    for (std::size_t row = 0; row < 1u << (Upper + Lower); row += 1u << Lower)
        across<Lower>(tile + row * kColumns, kColumns, corner + row * stride, stride, kColumns);
}

LDPRANGE_WIDEST
void transform_rows(double* corner, unsigned bits, std::size_t stride, double* tile) {
    switch (bits) {
        case 8: return through_tile<4, 4>(corner, stride, tile);
        case 7: return through_tile<3, 4>(corner, stride, tile);
        case 6: return through_tile<3, 3>(corner, stride, tile);
        case 5: return through_tile<3, 2>(corner, stride, tile);
        case 4: return through_tile<2, 2>(corner, stride, tile);
        case 3: return through_tile<2, 1>(corner, stride, tile);
        case 2: return through_tile<1, 1>(corner, stride, tile);
        default: return across<1>(corner, stride, corner, stride, kColumns);
    }
}

namespace {

// Transforms the next `step` bits above the lowest `done` of the whole array, some columns at a time.
void transform_high(double* values, std::size_t size, unsigned done, unsigned step, unsigned threads) {
    const std::size_t stride = std::size_t{1} << done, rows = std::size_t{1} << step;
    const std::size_t across = stride / kColumns;  // tiles side by side
    in_threads(size / (rows * kColumns), std::max<std::size_t>(1, kThreaded / (rows * kColumns)), threads,
               [&](std::size_t begin, std::size_t end) {
                   std::vector<double> tile(rows * kColumns);
                   for (std::size_t number = begin; number < end; ++number)
                       transform_rows(values + number / across * (stride * rows) + number % across * kColumns, step,
                                      stride, tile.data());
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
