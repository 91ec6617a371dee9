package ai.molecule.registry.memories;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.bus.registry.SearchMemories;
import ai.molecule.common.bus.registry.SeedMemories;
import ai.molecule.common.bus.registry.SeedMemories.Outcome;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** The rules about memories. */
public record MemoryService(PgMemoryStore store, Clock clock) {

    private static final int SEEDS_MAX = 100;
    private static final int SEARCH_MAX = 200;

    /** What one reply on the bus carries; well above the largest memory. */
    private static final int SEARCH_BYTES_MAX = 4 * 1024 * 1024;

    /** Stores a memory; fails with FORBIDDEN for a GLOBAL one of a workspace that nobody let in. */
    Future<NewMemory> commit(Caller caller, UUID workspaceId, NewMemory memory) {
        if (memory.scope() == MemoryScope.GLOBAL && caller.unadmitted()) {
            return Future.failedFuture(notAdmitted());
        }
        return store.insert(workspaceId, memory, clock.instant()).map(memory);
    }

    /** Fails with FORBIDDEN where a workspace that nobody let in asks for memories of others. */
    Future<List<Memory>> list(Caller caller, MemoryQuery query) {
        return caller.unadmitted() && query.ofOthers() ? Future.failedFuture(notAdmitted()) : store.list(query);
    }

    /** Fails with NOT_FOUND unless the workspace has written it. */
    Future<Void> delete(UUID workspaceId, UUID memoryId) {
        return store.delete(workspaceId, memoryId)
                .compose(done -> done ? Future.succeededFuture() : Future.failedFuture(notOwned()));
    }

    /** Serves {@link SeedMemories}. */
    public Future<SeedMemories.Seeded> seed(SeedMemories request) {
        var seeds = request.seeds();
        if (seeds.size() > SEEDS_MAX) {
            return Future.failedFuture(ApiError.invalid("at most %d memories at once".formatted(SEEDS_MAX)));
        }
        var checked = seeds.stream()
                .map(seed -> toMemory(request.workspaceId(), seed))
                .toList();
        var storable = checked.stream().flatMap(Optional::stream).toList();
        return store.seed(request.workspaceId(), storable, clock.instant())
                .map(fresh -> new SeedMemories.Seeded(checked.stream()
                        .map(memory -> memory.map(kept -> fresh.contains(kept.id()) ? Outcome.STORED : Outcome.PRESENT)
                                .orElse(Outcome.SKIPPED))
                        .toList()));
    }

    /** Serves {@link SearchMemories}. */
    public Future<SearchMemories.Found> search(SearchMemories request) {
        String text = Objects.requireNonNullElse(request.text(), "").strip();
        if (text.indexOf('\0') >= 0) {
            return Future.succeededFuture(new SearchMemories.Found(List.of())); // no stored text holds one
        }
        int max = Math.clamp(request.limit(), 1, SEARCH_MAX);
        return store.search(request.workspaceId(), text, max, SEARCH_BYTES_MAX)
                .map(found -> new SearchMemories.Found(found.stream()
                        .map(memory -> new SearchMemories.Hit(
                                memory.id(), memory.scope().name(), memory.content(), memory.createdAt()))
                        .toList()));
    }

    private static ApiError notAdmitted() {
        return ApiError.forbidden("workspace is not admitted");
    }

    static ApiError notOwned() {
        return ApiError.notFound("memory not found or not owned by this workspace");
    }

    private static Optional<NewMemory> toMemory(UUID workspaceId, SeedMemories.Seed seed) {
        return NewMemory.seed(seed.id(), workspaceId, seed.content(), seed.scope(), seed.namespace());
    }
}
