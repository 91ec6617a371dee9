package ai.molecule.provisioner.plugins.sources;

import ai.molecule.common.ApiError;
import io.vertx.core.Future;
import java.nio.file.Path;

/** One kind of place that plugins come from. */
public interface PluginSource {

    /** What stands before {@code ://}, such as {@code github}. */
    String scheme();

    /** Fails with INVALID for a spec that no plugin of this source can have; reads nothing. */
    Origin parse(String spec);

    /**
     * A place that was understood.
     *
     * @param plugin the name the plugin gets
     * @param pinned whether it names one version
     * @param fixed whether that version can never be another
     */
    interface Origin {

        String plugin();

        boolean pinned();

        boolean fixed();

        /**
         * Puts the plugin's files into a folder that exists and is empty, links left out. After a failure a part of them may be
         * there. Fails with {@link FetchFailure}.
         */
        Future<Void> fetch(Path folder, FetchLimits limits);
    }

    /** The answer to a spec that cannot be one. */
    static ApiError invalid() {
        return ApiError.invalid("invalid plugin source");
    }
}
