package ai.molecule.provisioner.plugins;

import ai.molecule.common.ApiError;
import ai.molecule.common.ApiError.Kind;
import ai.molecule.provisioner.backend.WorkspaceFiles.Usage;
import ai.molecule.provisioner.plugins.sources.FetchFailure;
import ai.molecule.provisioner.plugins.sources.FetchLimits;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings a plugin into the staging, checks it, lets it be used, and leaves nothing behind however that ends. */
final class PluginFetch {

    private static final Logger LOGGER = LoggerFactory.getLogger(PluginFetch.class);

    private static final int AT_ONCE = 4;
    private static final int WAITING_MAX = 64;

    private final Vertx vertx;
    private final PluginSettings settings;
    private final Staging staging;
    private final Turns turns = new Turns(AT_ONCE, WAITING_MAX);

    PluginFetch(Vertx vertx, PluginSettings settings, Staging staging) {
        this.vertx = vertx;
        this.settings = settings;
        this.staging = staging;
    }

    /**
     * The outcome of {@code use}, which has the checked files until it completes. Fails as docs/wire/provisioner.md says.
     *
     * @param order what the caller expects of them
     */
    <T> Future<T> with(PluginReference plugin, PluginOrder order, Function<Staged, Future<T>> use) {
        return staging.enter()
                .compose(place -> turns.take(() -> fetchChecked(plugin, order, place))
                        .compose(digest -> use.apply(new Staged(place, digest)))
                        .eventually(place::leave));
    }

    /** @param digest see {@link Integrity#digestOf} */
    record Staged(Staging.Place place, String digest) {}

    Future<Usage> sizeOf(Staging.Place place) {
        return vertx.executeBlocking(
                () -> {
                    long bytes = 0;
                    long files = 0;
                    try (var all = Files.walk(place.files())) {
                        for (var each : (Iterable<Path>) all::iterator) {
                            files++;
                            bytes += Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS) ? Files.size(each) : 0;
                        }
                    }
                    return new Usage(bytes, files);
                },
                false);
    }

    /** Makes the archive of staged files. */
    Future<PluginArchive> pack(PluginReference plugin, Staged staged) {
        var place = staged.place();
        return vertx.executeBlocking(
                () -> {
                    PluginTar.write(place.files(), place.archive());
                    return new PluginArchive(plugin, place.archive(), Files.size(place.archive()), staged.digest());
                },
                false);
    }

    private Future<String> fetchChecked(PluginReference plugin, PluginOrder order, Staging.Place place) {
        var limits = FetchLimits.startingNow(settings.pluginMaxBytes(), settings.fetchTimeout());
        return plugin.origin()
                .fetch(place.files(), limits)
                .recover(failure -> Future.failedFuture(answer(plugin, failure)))
                .compose(fetched -> vertx.executeBlocking(
                        () -> {
                            Integrity.checkManifest(place.files());
                            if (order.sha256() != null) {
                                Integrity.checkCallersSum(place.files(), order.sha256());
                            }
                            String digest = Integrity.digestOf(place.files());
                            if (order.digest() != null) {
                                Integrity.checkDigest(digest, order.digest());
                            }
                            return digest;
                        },
                        false));
    }

    private static Throwable answer(PluginReference plugin, Throwable failure) {
        if (!(failure instanceof FetchFailure fetch)) {
            return failure;
        }
        LOGGER.atWarn()
                .addKeyValue("source", plugin.source())
                .addKeyValue("reason", fetch.getMessage())
                .addKeyValue("cause", String.valueOf(fetch.getCause()))
                .log("plugin could not be fetched");
        Kind kind =
                switch (fetch.kind()) {
                    case NOT_FOUND -> Kind.NOT_FOUND;
                    case TIMED_OUT -> Kind.TIMED_OUT;
                    case TOO_LARGE -> Kind.TOO_LARGE;
                    case UNUSABLE -> Kind.BAD_GATEWAY;
                };
        return kind == Kind.TOO_LARGE
                ? new ApiError(kind, "staged plugin exceeds size limit")
                : new ApiError(
                        kind, "failed to fetch plugin from " + plugin.scheme(), Map.of("source", plugin.source()));
    }
}
