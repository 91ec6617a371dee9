/**
 * Plugins on an agent's own disk: unpacking an archive without trusting it, and the checksum over a plugin's files.
 *
 * <p>{@link ai.molecule.sdk.plugins.PluginArchive} unpacks, {@link ai.molecule.sdk.plugins.PluginSha256} sums, {@link
 * ai.molecule.sdk.plugins.PluginSetup} runs {@code setup.sh}. None of them speaks to a platform; {@link
 * ai.molecule.sdk.RemoteAgentClient#installPlugin} puts them together.
 */
@NullMarked
package ai.molecule.sdk.plugins;

import org.jspecify.annotations.NullMarked;
