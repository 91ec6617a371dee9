package ai.molecule.common.bus;

import java.util.ArrayList;
import java.util.List;

/** Parts of hints that wait for the end of the turn they were handed in. */
final class Gathering<P> {

    private List<P> parts = new ArrayList<>();

    /** Whether it is the first one since {@link #take}. */
    synchronized boolean add(P part) {
        parts.add(part);
        return parts.size() == 1;
    }

    /** All of them in their order, at most {@code max} together. */
    synchronized List<List<P>> take(int max) {
        List<List<P>> pieces = new ArrayList<>();
        for (int from = 0; from < parts.size(); from += max) {
            pieces.add(List.copyOf(parts.subList(from, Math.min(from + max, parts.size()))));
        }
        parts = new ArrayList<>();
        return pieces;
    }
}
