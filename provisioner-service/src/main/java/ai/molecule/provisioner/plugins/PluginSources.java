package ai.molecule.provisioner.plugins;

import ai.molecule.common.ApiError;
import ai.molecule.common.ApiError.Kind;
import ai.molecule.provisioner.plugins.sources.PluginSource;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Every kind of place that plugins come from here. */
final class PluginSources {

    private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+.-]{0,31}");

    private final List<PluginSource> sources;
    private final boolean allowUnpinned;

    /** @param allowUnpinned whether a repository may be named without a version */
    PluginSources(List<PluginSource> sources, boolean allowUnpinned) {
        this.sources = List.copyOf(sources);
        this.allowUnpinned = allowUnpinned;
    }

    /** In name order. */
    List<String> schemes() {
        return sources.stream().map(PluginSource::scheme).sorted().toList();
    }

    /**
     * Understands {@code scheme://spec}, or a bare name of the registry. Fails with INVALID, and with UNPROCESSABLE for a
     * repository at no version in particular.
     */
    PluginReference parse(String text) {
        int end = text.indexOf("://");
        String scheme = end < 0 ? "local" : text.substring(0, end);
        String spec = end < 0 ? text : text.substring(end + 3);
        if (spec.isEmpty() || !SCHEME.matcher(scheme).matches()) {
            throw ApiError.invalid("invalid plugin source");
        }
        var source = sources.stream()
                .filter(one -> one.scheme().equals(scheme))
                .findFirst()
                .orElseThrow(() -> new ApiError(
                        Kind.INVALID, "failed to resolve plugin source", Map.of("available_schemes", schemes())));
        var origin = source.parse(spec);
        var reference = new PluginReference(PluginName.of(origin.plugin()), scheme, scheme + "://" + spec, origin);
        if (!origin.pinned() && !allowUnpinned) {
            throw new ApiError(
                    Kind.UNPROCESSABLE,
                    "unpinned github source: append a tag or commit SHA (e.g. \"github://owner/repo#v1.2.0\"). "
                            + "Set PLUGIN_ALLOW_UNPINNED=true to override",
                    Map.of("source", reference.source()));
        }
        return reference;
    }
}
