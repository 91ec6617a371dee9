/**
 * Secrets: what a workspace's agent is told in confidence. A workspace's own values cover the global ones of the same name, some of
 * which are for some branches only. Only the stores see them sealed: {@link ai.molecule.registry.secrets.PgSecretStore}, {@link
 * ai.molecule.registry.secrets.PgGlobalSecretStore}, and {@link ai.molecule.registry.secrets.PgSecretRotation} when there is another key.
 * Everybody above them has them in clear, and no type here that holds a value prints it. Every change asks for the restarts that make it known (folder {@code restarts}).
 */
@NullMarked
package ai.molecule.registry.secrets;

import org.jspecify.annotations.NullMarked;
