// What the kernels share: how loops are cut over threads, and how the compiler is told to vectorise them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

// On x86-64 a hot loop is compiled three times and the widest that the processor has is taken when the module is
// loaded. That needs the C library's help, so elsewhere (and on ARM, where NEON is always there) it is compiled once.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(LDPRANGE_ONE_FORM)
#define LDPRANGE_WIDEST __attribute__((target_clones("default", "arch=haswell", "arch=skylake-avx512")))
#else
#define LDPRANGE_WIDEST
#endif

// What a hot loop calls must become part of each of its three forms.
#if defined(__GNUC__)
#define LDPRANGE_INLINE __attribute__((always_inline)) inline
#else
#define LDPRANGE_INLINE inline
#endif

// The next loop's iterations do not touch each other's data, which the compiler cannot see by itself.
#if defined(__clang__)
#define LDPRANGE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define LDPRANGE_INDEPENDENT _Pragma("GCC ivdep")
#else
#define LDPRANGE_INDEPENDENT
#endif

// The next loop is so short that counting would take much of its time.
#if defined(__GNUC__)
#define LDPRANGE_UNROLL _Pragma("GCC unroll 8")
#else
#define LDPRANGE_UNROLL
#endif

// What lies here will be wanted soon.
#if defined(__GNUC__)
#define LDPRANGE_FETCH(place) __builtin_prefetch(place)
#else
#define LDPRANGE_FETCH(place)
#endif

namespace ldprange {

// Calls work(begin, end) on consecutive parts of [0, length), one a thread, each a multiple of grain but the last.
template <class Work>
void in_threads(std::size_t length, std::size_t grain, unsigned threads, Work work) {
    const std::size_t grains = (length + grain - 1) / grain;
    const std::size_t parts = std::max<std::size_t>(1, std::min<std::size_t>(threads, grains));
    if (parts == 1) {
        work(std::size_t{0}, length);
        return;
    }
    std::vector<std::exception_ptr> failures(parts);
    const auto part = [&](std::size_t number) {
        try {
            work(std::min(length, grains * number / parts * grain),
                 std::min(length, grains * (number + 1) / parts * grain));
        } catch (...) {
            failures[number] = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    std::size_t started = 1;
    try {
        for (; started < parts; ++started) others.emplace_back(part, started);
    } catch (...) {  // no more threads to be had: this one does the rest
    }
    part(0);
    for (std::size_t number = started; number < parts; ++number) part(number);
    for (auto& other : others) other.join();
    for (const auto& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace ldprange
