// Bits that are copied from one place of every row to another.
#include "kernels.hpp"
#include "loops.hpp"
#include "words.hpp"

namespace ldprange {
namespace {

constexpr std::size_t kPart = 56;  // bits that eight bytes hold wherever in the first of them they begin

}  // namespace

// Of rows whose fields have at most kPart bits.
LDPRANGE_WIDEST
void copy_part(const std::uint8_t* source, std::size_t size, std::size_t from, std::size_t step, std::uint8_t* target,
               std::size_t target_size, std::size_t to, std::size_t to_step, std::size_t bits, std::size_t count) {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    std::size_t at = to >> 6 << 3;
    std::uint64_t word = load(target, target_size, at);  // is read and written once, however many fields go into it
    for (std::size_t row = 0; row < count; ++row, from += step, to += to_step) {
        const std::uint64_t field = load(source, size, from >> 3) >> (from & 7) & mask;
        const std::size_t next = to >> 6 << 3, shift = to & 63;
        if (next != at) {
            store(word, target, target_size, at);
            at = next;
            word = load(target, target_size, at);
        }
        word |= field << shift;
        if (shift + bits > 64) {
            store(word, target, target_size, at);
            at += 8;
            word = load(target, target_size, at) | field >> (64 - shift);
        }
    }
    store(word, target, target_size, at);
}

// Of fields of whole bytes.
template <std::size_t Bytes>
void copy_bytes(const std::uint8_t* source, std::size_t step, std::uint8_t* target, std::size_t to_step,
                std::size_t count) {
    for (std::size_t row = 0; row < count; ++row, source += step, target += to_step)
        std::memcpy(target, source, Bytes);
}

void copy_bytes(const std::uint8_t* source, std::size_t step, std::uint8_t* target, std::size_t to_step,
                std::size_t bytes, std::size_t count) {
    switch (bytes) {  // a copy of a size that the compiler knows takes a quarter of the time
        case 1: return copy_bytes<1>(source, step, target, to_step, count);
        case 2: return copy_bytes<2>(source, step, target, to_step, count);
        case 3: return copy_bytes<3>(source, step, target, to_step, count);
        case 4: return copy_bytes<4>(source, step, target, to_step, count);
        case 5: return copy_bytes<5>(source, step, target, to_step, count);
        case 9: return copy_bytes<9>(source, step, target, to_step, count);
        default:
            for (std::size_t row = 0; row < count; ++row, source += step, target += to_step)
                std::memcpy(target, source, bytes);
    }
}

void copy_bits(const std::uint8_t* source, std::size_t size, std::size_t from, std::size_t step, std::uint8_t* target,
               std::size_t target_size, std::size_t to, std::size_t to_step, std::size_t bits, std::size_t count) {
    if ((from | step | to | to_step | bits) % 8 == 0) {
        copy_bytes(source + from / 8, step / 8, target + to / 8, to_step / 8, bits / 8, count);
        return;
    }
    if (bits <= kPart) {
        copy_part(source, size, from, step, target, target_size, to, to_step, bits, count);
        return;
    }
    const std::size_t parts = bits / kPart, whole = parts * kPart;
    for (std::size_t row = 0; row < count; ++row, from += step, to += to_step) {
        copy_part(source, size, from, kPart, target, target_size, to, kPart, kPart, parts);
        copy_part(source, size, from + whole, step, target, target_size, to + whole, to_step, bits - whole, 1);
    }
}

}  // namespace ldprange
