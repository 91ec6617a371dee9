package ai.molecule.events.hub;

import java.util.List;

/**
 * What the log holds of a stretch of positions, as it was when it was read.
 *
 * @param upTo the last position that the page answers for
 * @param parcels its events, in order
 * @param prunedTo up to where events are kept no more; 0 when the page has all of its stretch
 */
record ReplayPage(long upTo, List<Parcel> parcels, long prunedTo) {

    int bytes() {
        return parcels.stream().mapToInt(Parcel::socketSize).sum();
    }
}
