// Bytes taken eight at a time, as words whose lowest byte is the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ldprange {

// The eight bytes from `at` on, as far as there are any. (A copy of a size that is not known would keep words in memory.)
inline std::uint64_t load(const std::uint8_t* bytes, std::size_t size, std::size_t at) {
    std::uint64_t word = 0;
    if (at + 8 <= size)
        std::memcpy(&word, bytes + at, 8);
    else
        for (std::size_t byte = at; byte < size; ++byte) word |= std::uint64_t{bytes[byte]} << 8 * (byte - at);
    return word;
}

inline void store(std::uint64_t word, std::uint8_t* bytes, std::size_t size, std::size_t at) {
    if (at + 8 <= size)
        std::memcpy(bytes + at, &word, 8);
    else
        for (std::size_t byte = at; byte < size; ++byte, word >>= 8) bytes[byte] = static_cast<std::uint8_t>(word);
}

// The number of ones.
inline std::uint32_t ones(std::uint64_t word) {
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return static_cast<std::uint32_t>(word * 0x0101010101010101 >> 56);
}

// Where the lowest one is, of a word that has any.
inline std::size_t lowest(std::uint64_t word) {
#if defined(__GNUC__)
    return static_cast<std::size_t>(__builtin_ctzll(word));
#else
    return ones(~word & (word - 1));
#endif
}

}  // namespace ldprange
