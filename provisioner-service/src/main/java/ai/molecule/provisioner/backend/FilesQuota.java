package ai.molecule.provisioner.backend;

import ai.molecule.common.ApiError;
import ai.molecule.common.config.Env;
import ai.molecule.provisioner.backend.WorkspaceFiles.Entry;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.backend.WorkspaceFiles.Usage;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * What people and agents may put into a workspace by the platform. What its agent writes itself counts, but is not kept from it.
 * Usage is measured at most once a minute and what is put is added meanwhile, so what is under way at that moment may pass the
 * bound by its own size.
 */
public final class FilesQuota {

    /**
     * @param bytesMax {@code MOLECULE_FILES_MAX_BYTES}, default 4 GiB: all of a workspace's own folders
     * @param filesMax {@code MOLECULE_FILES_MAX}, default 200,000 files and folders
     * @param uploadsMaxBytes {@code MOLECULE_UPLOADS_MAX_BYTES}, default 1 GiB: what arrived with its chats
     */
    public record Limits(long bytesMax, long filesMax, long uploadsMaxBytes) {

        public static Limits fromEnv(Env env) {
            return new Limits(
                    env.integer("MOLECULE_FILES_MAX_BYTES", 4L << 30, 1 << 20, 1L << 50),
                    env.integer("MOLECULE_FILES_MAX", 200_000, 100, WorkspaceFiles.USAGE_FILES_MAX),
                    env.integer("MOLECULE_UPLOADS_MAX_BYTES", 1L << 30, 1 << 20, 1L << 50));
        }
    }

    public static final FilePath UPLOADS = FilePath.of(".molecule/chat-uploads");

    private static final Duration KNOWN_MAX = Duration.ofMinutes(1);

    /** Somebody may have made room meanwhile, but whoever is refused does not have everything measured anew each time. */
    private static final Duration FULL_MAX = Duration.ofSeconds(5);

    private static final int REMEMBERED_MAX = 1_000;

    private final WorkspaceFiles files;
    private final Limits limits;

    /** By workspace, the longest unasked first. Guarded by itself. */
    private final Map<UUID, Known> known = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Known> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };

    public FilesQuota(WorkspaceFiles files, Limits limits) {
        this.files = files;
        this.limits = limits;
    }

    /** Fails with INSUFFICIENT_STORAGE when that much more would be too much; else it counts from now on. */
    public Future<Void> admit(UUID workspaceId, long bytes, long number) {
        return admit(workspaceId, bytes, number, KNOWN_MAX)
                .compose(fits -> fits
                        ? Future.succeededFuture()
                        : admit(workspaceId, bytes, number, FULL_MAX)
                                .compose(still -> still
                                        ? Future.succeededFuture()
                                        : Future.failedFuture(full("its folders may hold %d MiB and %d files"
                                                .formatted(limits.bytesMax >> 20, limits.filesMax)))));
    }

    /** The same for what arrives with a chat. */
    public Future<Void> admitUploads(UUID workspaceId, long bytes, int number) {
        return files.list(workspaceId, Root.WORKSPACE, UPLOADS, 1).compose(there -> {
            long held = there.stream().mapToLong(Entry::size).sum();
            return held + bytes > limits.uploadsMaxBytes || there.size() + number > WorkspaceFiles.ENTRIES_MAX
                    ? Future.failedFuture(full("its chats may hold %d MiB and %d files"
                            .formatted(limits.uploadsMaxBytes >> 20, WorkspaceFiles.ENTRIES_MAX)))
                    : admit(workspaceId, bytes, number);
        });
    }

    /** Something was deleted: what is known is too much. */
    public void forget(UUID workspaceId) {
        synchronized (known) {
            known.remove(workspaceId);
        }
    }

    private Future<Boolean> admit(UUID workspaceId, long bytes, long number, Duration ageMax) {
        var usage = knownOf(workspaceId, ageMax);
        return usage.measured.map(measured -> usage.take(measured, bytes, number, limits));
    }

    private Known knownOf(UUID workspaceId, Duration ageMax) {
        synchronized (known) {
            var found = known.get(workspaceId);
            if (found == null || found.measured.failed() || found.isOlderThan(ageMax)) {
                found = new Known(files.usage(workspaceId), System.nanoTime());
                known.put(workspaceId, found);
            }
            return found;
        }
    }

    private static ApiError full(String bound) {
        return new ApiError(ApiError.Kind.INSUFFICIENT_STORAGE, "workspace is full: " + bound);
    }

    private static final class Known {

        private final Future<Usage> measured;
        private final long atNanos;
        private long bytes;
        private long number;

        Known(Future<Usage> measured, long atNanos) {
            this.measured = measured;
            this.atNanos = atNanos;
        }

        boolean isOlderThan(Duration ageMax) {
            return System.nanoTime() - atNanos > ageMax.toNanos();
        }

        synchronized boolean take(Usage before, long moreBytes, long moreNumber, Limits limits) {
            if (before.bytes() + bytes + moreBytes > limits.bytesMax
                    || before.files() + number + moreNumber > limits.filesMax) {
                return false;
            }
            bytes += moreBytes;
            number += moreNumber;
            return true;
        }
    }
}
