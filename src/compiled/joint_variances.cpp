// Exact variances of questions about two attributes, a range on each. The NumPy twin cuts both lines into pieces and
// looks at all depths of each. Here the few nodes of each tree are followed that a range does not treat like all of
// their parent: cells that an end of it cuts, and runs of whole cells beside those. Everything is a sum over pairs of
// nodes, one of each tree, and a pair takes the same few steps whatever its depths.
#include <algorithm>
#include <array>
#include <vector>

#include "kernels.hpp"
#include "loops.hpp"

namespace ldprange {
namespace {

constexpr std::size_t kGrain = 64;    // fewer questions than this are not worth a thread
constexpr std::size_t kNewNodes = 6;  // at most at each depth: 2 that are cut, and 2 runs beside each
constexpr std::size_t kNewEdges = 4;  // at most at each depth: the ends of both that are cut, or the cuts themselves
constexpr std::size_t kKinds = 2;     // of nodes: cut, and not; a run stays as it is at all depths below its own

// One attribute's nodes for one question, coarsest first; those of depth m are begins[m] to begins[m + 1].
class Line {
public:
    Line(const std::int64_t* sizes, std::size_t depths) : sizes_(sizes), depths_(depths) {
        const std::size_t nodes = 1 + kNewNodes * depths, edges = 2 + kNewEdges * depths;
        for (auto* each : {&first_, &last_, &starts_, &stops_, &parents_, &kinds_}) each->resize(nodes);
        for (auto* each : {&details_, &means_}) each->resize(nodes);
        edges_.resize(edges);
        begins_.resize(depths + 1);
        energies_.resize(depths);
    }

    void ask(std::int64_t low, std::int64_t high) {
        low_ = low;
        high_ = high;
        nodes_ = edge_count_ = 0;
        const std::size_t first = edge(0), last = edge(sizes_[0]);
        begins_[0] = 0;
        energies_[0] = 0.0;
        const bool certain = low == high || (low == 0 && high == sizes_[0]);
        add(first, last, 0, 0, !certain, mean(0, sizes_[0]), 0.0);
        begins_[1] = nodes_;
        for (std::size_t depth = 1; depth < depths_; ++depth) {
            energies_[depth] = 0.0;
            for (std::size_t node = begins_[depth - 1]; node < begins_[depth]; ++node)
                if (kinds_[node] % kKinds == 0) split(node, depth);
            begins_[depth + 1] = nodes_;
        }
    }

    std::size_t depths() const { return depths_; }
    std::size_t most_nodes() const { return details_.size(); }
    std::size_t most_edges() const { return edges_.size(); }
    std::size_t nodes() const { return nodes_; }
    std::size_t edges() const { return edge_count_; }
    std::size_t begin(std::size_t depth) const { return begins_[depth]; }
    std::size_t edge_at(std::size_t edge) const { return edges_[edge]; }
    std::size_t first(std::size_t node) const { return first_[node]; }
    std::size_t last(std::size_t node) const { return last_[node]; }
    const std::size_t* starts() const { return starts_.data(); }
    const std::size_t* stops() const { return stops_.data(); }
    std::size_t parent(std::size_t node) const { return parents_[node]; }
    std::size_t kind(std::size_t node) const { return kinds_[node]; }  // kKinds · depth, and 1 more for a run
    double detail(std::size_t node) const { return details_[node]; }
    double energy(std::size_t depth) const { return energies_[depth]; }

private:
    std::size_t edge(std::int64_t place) {
        edges_[edge_count_] = static_cast<std::size_t>(place);
        return edge_count_++;
    }

    // An edge that is there already, if it lies at the place, or else a new one.
    std::size_t edge(std::int64_t place, std::size_t known) {
        return edges_[known] == static_cast<std::size_t>(place) ? known : edge(place);
    }

    double mean(std::int64_t start, std::int64_t stop) const {
        const std::int64_t overlap = std::min(high_, stop) - std::max(low_, start);
        return static_cast<double>(std::max<std::int64_t>(overlap, 0)) / static_cast<double>(stop - start);
    }

    void add(std::size_t first, std::size_t last, std::size_t parent, std::size_t depth, bool cut, double mean,
             double less) {
        if (first == last) return;
        first_[nodes_] = first;
        last_[nodes_] = last;
        starts_[nodes_] = edges_[first];
        stops_[nodes_] = edges_[last];
        parents_[nodes_] = parent;
        kinds_[nodes_] = kKinds * depth + (cut ? 0 : 1);
        means_[nodes_] = mean;
        const double detail = details_[nodes_] = mean - less;
        energies_[depth] += static_cast<double>(stops_[nodes_] - starts_[nodes_]) * detail * detail;
        ++nodes_;
    }

    // Goes through the children of a node that is cut, from left to right.
    void split(std::size_t node, std::size_t depth) {
        const std::int64_t size = sizes_[depth];
        const std::int64_t start = static_cast<std::int64_t>(starts_[node]);
        const std::int64_t stop = static_cast<std::int64_t>(stops_[node]);
        const double less = means_[node];
        std::size_t at = first_[node];
        for (const std::int64_t cut : {low_, high_}) {
            const std::int64_t reached = static_cast<std::int64_t>(edges_[at]);
            if (cut <= start || cut >= stop || cut < reached) continue;  // not here, or in the last child as well
            const std::int64_t child = cut / size * size;
            const std::size_t from = edge(child, at);
            add(at, from, node, depth, false, value(reached), less);
            at = from;
            if (child == cut) continue;
            at = edge(child + size, last_[node]);
            add(from, at, node, depth, true, mean(child, child + size), less);
        }
        add(at, last_[node], node, depth, false, value(static_cast<std::int64_t>(edges_[at])), less);
    }

    double value(std::int64_t place) const { return place >= low_ && place < high_ ? 1.0 : 0.0; }

    const std::int64_t* sizes_;
    std::size_t depths_;  // the root's among them
    std::int64_t low_ = 0, high_ = 0;
    std::size_t nodes_ = 0, edge_count_ = 0;
    std::vector<std::size_t> first_, last_, starts_, stops_, parents_, kinds_, edges_, begins_;
    std::vector<double> details_, means_, energies_;
};

}  // namespace

// What one node of the first attribute adds, for every node of the second: people in both, times its detail; and E²
// times people, E being that of its parent and more.
LDPRANGE_WIDEST
void add_node(const double* below, const double* above, const double* parent, const double* step, double detail,
              double* weights, double* people, double* squares, std::size_t count) {
    LDPRANGE_INDEPENDENT
    for (std::size_t b = 0; b < count; ++b) {
        const double held = above[b] - below[b];
        const double weight = parent[b] + detail * step[b];
        people[b] += detail * held;
        weights[b] = weight;
        squares[b] += weight * weight * held;
    }
}

LDPRANGE_WIDEST
void add_people(const double* below, const double* above, double detail, double* people, std::size_t count) {
    LDPRANGE_INDEPENDENT
    for (std::size_t b = 0; b < count; ++b) people[b] += detail * (above[b] - below[b]);
}

namespace {

// Everything that depends on depths alone.
class Weights {
public:
    explicit Weights(const JointTable& table) : table_(table), held_(kKinds * table.rows * kKinds * table.columns) {
        const auto deeper = [&](std::size_t row, std::size_t column) {  // nothing is, past the last depth
            return row < kKinds * table.rows && column < kKinds * table.columns ? at(row, column) : 0.0;
        };
        for (std::size_t m = table.rows; m-- > 0;)  // a run stands for itself at its own depth and at all below
            for (std::size_t n = table.columns; n-- > 0;) {
                const std::size_t row = kKinds * m, column = kKinds * n, run = 1, next = kKinds + run;
                const double here = table.held[m * table.columns + n];
                const double beside = deeper(row, column + next), below = deeper(row + next, column);
                at(row, column) = here;
                at(row, column + run) = here + beside;
                at(row + run, column) = here + below;
                at(row + run, column + run) = here + beside + below + deeper(row + next, column + next);
                any_held_ = any_held_ || here != 0.0;
            }
    }

    const JointTable& table() const { return table_; }
    bool any_held() const { return any_held_; }
    const double* held(std::size_t kind) const { return held_.data() + kind * kKinds * table_.columns; }

private:
    double& at(std::size_t row, std::size_t column) { return held_[row * kKinds * table_.columns + column]; }

    const JointTable& table_;
    std::vector<double> held_;  // by kinds of both nodes: of all grids that see them as they are
    bool any_held_ = false;
};

// One thread's room, and the work on one question.
class Questions {
public:
    Questions(const Weights& weights, const std::int64_t* row_sizes, const std::int64_t* column_sizes)
        : weights_(weights),
          table_(weights.table()),
          one_(row_sizes, table_.rows),
          other_(column_sizes, table_.columns),
          stride_(other_.most_nodes()),
          upto_(one_.most_edges() * stride_),
          steps_(table_.rows * stride_),
          sums_((1 + one_.most_nodes()) * stride_),
          people_(stride_),
          squares_(kKinds * stride_),
          totals_(stride_),
          towards_(table_.columns) {}

    double ask(const std::array<std::int64_t, 2>& low, const std::array<std::int64_t, 2>& high) {
        one_.ask(low[0], high[0]);
        other_.ask(low[1], high[1]);
        gather();
        if (weights_.any_held()) follow();
        double variance = 0.0;
        std::fill(towards_.begin(), towards_.end(), 0.0);
        std::fill_n(totals_.begin(), other_.nodes(), 0.0);
        for (std::size_t depth = 0; depth < table_.rows; ++depth) variance += at_depth(depth);
        for (std::size_t b = 0; b < other_.nodes(); ++b) variance += totals_[b];
        const double inside = share(low, high);
        return std::max(variance - inside * (1.0 - inside) / table_.users, 0.0);
    }

private:
    // For every edge on the one line, the people before it in each node of the other.
    void gather() {
        const std::size_t nodes = other_.nodes();
        const std::size_t *starts = other_.starts(), *stops = other_.stops();
        for (std::size_t edge = 0; edge < one_.edges(); ++edge) {
            const double* row = table_.upto + one_.edge_at(edge) * table_.width;
            double* into = upto_.data() + edge * stride_;
            LDPRANGE_UNROLL
            for (std::size_t b = 0; b < nodes; ++b) into[b] = row[stops[b]] - row[starts[b]];
        }
    }

    // For every depth of the one tree, Σ λ P over the depths of the other, down to each of its nodes.
    void follow() {
        for (std::size_t depth = 0; depth < table_.rows; ++depth) {
            const double* shrink = table_.shrink + depth * table_.columns;
            double* steps = steps_.data() + depth * stride_;
            steps[0] = shrink[0] * other_.detail(0);
            for (std::size_t b = 1; b < other_.nodes(); ++b)
                steps[b] = steps[other_.parent(b)] + shrink[other_.kind(b) / kKinds] * other_.detail(b);
        }
    }

    // Adds up what the details of one depth of the one tree put in.
    double at_depth(std::size_t depth) {
        const std::size_t nodes = other_.nodes(), columns = table_.columns;
        double variance = 0.0;
        std::fill_n(people_.begin(), nodes, 0.0);
        std::fill(squares_.begin(), squares_.end(), 0.0);
        for (std::size_t a = one_.begin(depth); a < one_.begin(depth + 1); ++a) {
            const double* below = upto_.data() + one_.first(a) * stride_;
            const double* above = upto_.data() + one_.last(a) * stride_;
            if (!weights_.any_held()) {
                add_people(below, above, one_.detail(a), people_.data(), nodes);
                continue;
            }
            // row 0 is of nothing above the root, and remains 0
            const double* parent = sums_.data() + (depth ? 1 + one_.parent(a) : 0) * stride_;
            double* squares = squares_.data() + one_.kind(a) % kKinds * stride_;
            add_node(below, above, parent, steps_.data() + depth * stride_, one_.detail(a),
                     sums_.data() + (1 + a) * stride_, people_.data(), squares, nodes);
        }
        if (weights_.any_held())
            for (std::size_t kind = 0; kind < kKinds; ++kind) {
                const double* held = weights_.held(kKinds * depth + kind);
                const double* squares = squares_.data() + kind * stride_;
                for (std::size_t b = 0; b < nodes; ++b) totals_[b] += held[other_.kind(b)] * squares[b];
            }
        double along = 0.0;  // Σ λ T over all depths of the other down to one, at this depth of the one
        for (std::size_t column = 0; column < columns; ++column) {
            const std::size_t place = depth * columns + column;
            double mean = 0.0;
            for (std::size_t b = other_.begin(column); b < other_.begin(column + 1); ++b)
                mean += other_.detail(b) * people_[b];
            along += table_.shrink[place] * mean;
            towards_[column] += along;
            variance -= table_.scales[place] * towards_[column] * towards_[column];
            variance += table_.spread[place] * one_.energy(depth) * other_.energy(column);
        }
        return variance;
    }

    // The population's share in a product of ranges.
    double share(const std::array<std::int64_t, 2>& low, const std::array<std::int64_t, 2>& high) const {
        const double* from = table_.upto + static_cast<std::size_t>(low[0]) * table_.width;
        const double* to = table_.upto + static_cast<std::size_t>(high[0]) * table_.width;
        const auto across = [&](const double* row) { return row[high[1]] - row[low[1]]; };
        return across(to) - across(from);
    }

    const Weights& weights_;
    const JointTable& table_;
    Line one_, other_;
    std::size_t stride_;
    std::vector<double> upto_, steps_, sums_, people_, squares_, totals_, towards_;
};

}  // namespace

void joint_variances(const std::int64_t* low, const std::int64_t* high, std::size_t count,
                     const std::int64_t* row_sizes, const std::int64_t* column_sizes, const JointTable& table,
                     double* variances, unsigned threads) {
    const Weights weights(table);
    in_threads(count, kGrain, threads, [&](std::size_t begin, std::size_t end) {
        Questions questions(weights, row_sizes, column_sizes);
        for (std::size_t q = begin; q < end; ++q)
            variances[q] = questions.ask({low[q], low[count + q]}, {high[q], high[count + q]});
    });
}

}  // namespace ldprange
