package ai.molecule.registry.workspaces;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.RunningWith;
import ai.molecule.registry.workspaces.Move.Others;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Moves of workspaces, and what they would change: said before anybody decides. */
public record MoveService(PgMoves store, WorkspaceService workspaces, Bus bus) {

    private static final Others NOBODY = new Others(0, List.of());

    /** Changes nothing. Fails as the move would. */
    Future<Move> preview(UUID id, @Nullable UUID parentId) {
        return store.check(id, parentId).compose(from -> {
            var before = from.parentId();
            var circles = from.quiet()
                    ? Future.succeededFuture(new PgMoves.Circles(NOBODY, NOBODY))
                    : store.circles(id, before, parentId);
            return Future.all(circles, store.secrets(id, before, parentId), stopped(id, before, parentId))
                    .map(read -> {
                        PgMoves.Circles circle = read.resultAt(0);
                        PgMoves.Keys keys = read.resultAt(1);
                        Optional<List<RunningWith.One>> stopped = read.resultAt(2);
                        return new Move(
                                id,
                                parentId,
                                circle.gains(),
                                circle.loses(),
                                keys.gained(),
                                keys.lost(),
                                stopped.orElse(null));
                    });
        });
    }

    /** Moves it; what is answered is what was so before. */
    Future<Move> move(UUID id, @Nullable UUID parentId, String changedWith) {
        return preview(id, parentId)
                .compose(move -> workspaces
                        .patch(id, WorkspacePatch.moveTo(parentId), false, changedWith)
                        .map(move));
    }

    /** Empty while the proxy does not answer. */
    private Future<Optional<List<RunningWith.One>>> stopped(UUID id, @Nullable UUID before, @Nullable UUID after) {
        return bus.call(RunningWith.CONTRACT, new RunningWith(id))
                .map(Optional::of)
                .otherwise(Optional.empty())
                .compose(answer -> answer.isEmpty()
                        ? Future.succeededFuture(Optional.empty())
                        : lost(id, before, after, answer.get().running()).map(Optional::of));
    }

    private Future<List<RunningWith.One>> lost(
            UUID id, @Nullable UUID before, @Nullable UUID after, List<RunningWith.One> running) {
        var others = running.stream().map(one -> one.otherThan(id)).distinct().toList();
        return store.lostAmong(id, before, after, others)
                .map(lost -> running.stream()
                        .filter(one -> lost.contains(one.otherThan(id)))
                        .toList());
    }
}
