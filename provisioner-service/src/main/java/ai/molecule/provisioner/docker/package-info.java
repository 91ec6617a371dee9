/**
 * Agents as containers of a Docker Engine, spoken to over its UNIX socket. Open first {@link DockerBackend}: what a container
 * looks like is in {@link AgentContainer}, what it may use in {@link ai.molecule.provisioner.containers.Tier}, its folders in {@link Folders}, the files in them in {@link DockerFiles}. Everything we
 * make carries labels that name the platform and the workspace; what carries others is never touched.
 */
@NullMarked
package ai.molecule.provisioner.docker;

import org.jspecify.annotations.NullMarked;
