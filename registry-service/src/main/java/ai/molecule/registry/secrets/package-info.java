/**
 * Secrets: what a workspace's agent is told in confidence. A workspace's own values cover the global ones of the same name, some of
 * which are for some branches only. Only {@link ai.molecule.registry.secrets.PgSecretStore} sees them sealed, everybody above it in
 * clear, and no type here that holds a value prints it. Every change asks for the restarts that make it known (folder {@code restarts}).
 */
@NullMarked
package ai.molecule.registry.secrets;

import org.jspecify.annotations.NullMarked;
