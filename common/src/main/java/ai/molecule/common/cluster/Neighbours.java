package ai.molecule.common.cluster;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.List;

/** What a member of the cluster sees of the others, by asking each of them itself. */
public final class Neighbours {

    /**
     * What one look found.
     *
     * @param others how many other members there are
     * @param silent where those listen that did not answer the last looks, as {@code host:port}
     * @param restored how many entries of this member the cluster had lost, which are back
     */
    public record Seen(int others, List<String> silent, int restored) {

        /** Several others are there and none of them answers: it is this member that is cut off. */
        public boolean isCutOff() {
            return others > 1 && silent.size() == others;
        }
    }

    private Neighbours() {}

    /**
     * Asks every other member whether it is there, avoids those that did not answer twice in a row, and puts back what the cluster lost of this
     * one. Takes two seconds at most while the cluster itself answers.
     */
    public static Future<Seen> look(Vertx vertx) {
        return ((VertxInternal) vertx).clusterManager() instanceof RoutingMembers members
                ? members.look(vertx)
                : Future.succeededFuture(new Seen(0, List.of(), 0));
    }
}
