// The Walsh–Hadamard transform, in place. Every bit of the index has its turn, in any order: the lowest within
// registers, the next ones within parts that stay in the first cache, the next within blocks that stay in the second,
// and the rest in passes over the whole array. Beyond the first cache two bits are done at a time: rows that lie a
// power of two apart compete for one place in a cache, and four of them find room in any.
#include <algorithm>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "kernels.hpp"
#include "loops.hpp"

namespace ldprange {
namespace {

constexpr unsigned kLowestBits = 4;
constexpr unsigned kPartBits = 12;           // 32 KiB
constexpr unsigned kBlockBits = 16;          // 512 KiB
constexpr std::size_t kColumns = 1u << 12;   // of a row that a thread does together: long enough to be fetched ahead
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

// Transforms the Bits bits of the index of 2**Bits rows, `width` neighbours of each.
template <unsigned Bits>
inline void across(double* values, std::size_t stride, std::size_t width) {
    LDPRANGE_INDEPENDENT
    for (std::size_t j = 0; j < width; ++j) {
        double x[1u << Bits];
#pragma GCC unroll 16
        for (unsigned i = 0; i < 1u << Bits; ++i) x[i] = values[i * stride + j];
        butterflies<Bits>(x);
#pragma GCC unroll 16
        for (unsigned i = 0; i < 1u << Bits; ++i) values[i * stride + j] = x[i];
    }
}

template <unsigned Bits>
inline void every(double* values, std::size_t size, std::size_t stride) {
    for (std::size_t start = 0; start < size; start += stride << Bits) across<Bits>(values + start, stride, stride);
}

// Transforms the lowest four bits.
inline void transform_lowest(double* values, std::size_t size) {
    for (std::size_t start = 0; start < size; start += 16) {
#if defined(__aarch64__)  // neighbours are no loop for wide registers; two by two they are
        const float64x2_t signs = {1.0, -1.0};
        float64x2_t x[8];
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; ++i) x[i] = vld1q_f64(values + start + 2 * i);
        butterflies<3>(x);
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; ++i)  // (b, a) + (a, -b)
            vst1q_f64(values + start + 2 * i, vfmaq_f64(vextq_f64(x[i], x[i], 1), x[i], signs));
#else
        double x[16];
        std::copy(values + start, values + start + 16, x);
        butterflies<4>(x);
        std::copy(x, x + 16, values + start);
#endif
    }
}

}  // namespace

// Transforms all bits of numbers that stay in the first cache.
LDPRANGE_WIDEST
void transform_part(double* values, unsigned bits) {
    const std::size_t size = std::size_t{1} << bits;
    unsigned done = 0;
    if (bits >= kLowestBits) {
        transform_lowest(values, size);
        done = kLowestBits;
    }
    if (bits == kPartBits) {  // strides known now, most often used
        every<4>(values, 1u << kPartBits, 1u << kLowestBits);
        every<4>(values, 1u << kPartBits, 1u << (kLowestBits + 4));
        return;
    }
    for (; bits >= done + 4; done += 4) every<4>(values, size, std::size_t{1} << done);
    if (bits == done + 3) every<3>(values, size, std::size_t{1} << done);
    if (bits == done + 2) every<2>(values, size, std::size_t{1} << done);
    if (bits == done + 1) every<1>(values, size, std::size_t{1} << done);
}

// Transforms one bit or two of the index of rows, some neighbours of each.
LDPRANGE_WIDEST
void transform_rows(double* corner, unsigned step, std::size_t stride, std::size_t width) {
    if (step == 2)
        across<2>(corner, stride, width);
    else
        across<1>(corner, stride, width);
}

void walsh_hadamard(double* values, std::size_t rows, unsigned bits, unsigned threads) {
    const std::size_t size = rows << bits;
    const unsigned part_bits = std::min(bits, kPartBits), block_bits = std::min(bits, kBlockBits);
    const std::size_t block = std::size_t{1} << block_bits, part = std::size_t{1} << part_bits;
    const auto next = [](unsigned done, unsigned last) { return std::min(2u, last - done); };
    in_threads(size, std::max(block, kThreaded), threads, [&](std::size_t begin, std::size_t end) {
        for (double* start = values + begin; start < values + end; start += block) {
            for (double* at = start; at < start + block; at += part) transform_part(at, part_bits);
            for (unsigned done = part_bits, step; done < block_bits; done += step) {
                step = next(done, block_bits);
                const std::size_t stride = std::size_t{1} << done;
                for (double* at = start; at < start + block; at += stride << step)
                    transform_rows(at, step, stride, stride);
            }
        }
    });
    for (unsigned done = block_bits, step; done < bits; done += step) {
        step = next(done, bits);
        const std::size_t stride = std::size_t{1} << done, beside = stride / kColumns;
        in_threads(size / (kColumns << step), kThreaded / kColumns, threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t number = begin; number < end; ++number)
                transform_rows(values + number / beside * (stride << step) + number % beside * kColumns, step, stride,
                               kColumns);
        });
    }
}

}  // namespace ldprange
