package ai.molecule.provisioner.plugins;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.JsonBody;
import org.jspecify.annotations.Nullable;

/**
 * What is to be installed.
 *
 * @param source {@code scheme://spec}, or the name of a plugin in the registry
 * @param sha256 of plugin.yaml, in hexadecimal; null for whatever it is
 * @param digest of all its files, see {@link Integrity#digestOf}; null for whatever they are
 */
record PluginOrder(
        String source, @Nullable String sha256, @Nullable String digest) {

    /** Fails with INVALID. */
    static PluginOrder of(JsonBody body) {
        String source = body.text("source", "").strip();
        if (source.isEmpty()) {
            throw ApiError.invalid("'source' is required (e.g. \"local://my-plugin\" or \"github://owner/repo\")");
        }
        String sha256 = body.text("sha256", "").strip();
        String digest = body.text("digest", "").strip();
        return new PluginOrder(source, sha256.isEmpty() ? null : sha256, digest.isEmpty() ? null : digest);
    }
}
