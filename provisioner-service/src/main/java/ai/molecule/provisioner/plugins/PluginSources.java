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
    private final PluginSettings settings;

    PluginSources(List<PluginSource> sources, PluginSettings settings) {
        this.sources = List.copyOf(sources);
        this.settings = settings;
    }

    /** In name order. */
    List<String> schemes() {
        return sources.stream().map(PluginSource::scheme).sorted().toList();
    }

    /**
     * Understands {@code scheme://spec}, or a bare name of the registry. Fails with INVALID, with FORBIDDEN for what the operator
     * does not allow, and with UNPROCESSABLE for a repository at no version in particular.
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
        if (!settings.allowed().allow(reference.source())) {
            throw ApiError.forbidden("plugin \"%s\" is not in the org allowlist".formatted(reference.name()));
        }
        boolean pinned = settings.commitsOnly() ? origin.fixed() : origin.pinned();
        if (!pinned && !settings.allowUnpinned()) {
            throw new ApiError(
                    Kind.UNPROCESSABLE,
                    "unpinned github source: append a %s. Set PLUGIN_ALLOW_UNPINNED=true to override"
                            .formatted(
                                    settings.commitsOnly()
                                            ? "commit SHA of 40 hexadecimal digits"
                                            : "tag or commit SHA (e.g. \"github://owner/repo#v1.2.0\")"),
                    Map.of("source", reference.source()));
        }
        return reference;
    }
}
