package ai.molecule.provisioner.plugins;

import ai.molecule.provisioner.plugins.sources.PluginSource;

/**
 * Which plugin, and where it comes from.
 *
 * @param source as {@code scheme://spec}
 */
record PluginReference(PluginName name, String scheme, String source, PluginSource.Origin origin) {}
