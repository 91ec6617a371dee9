/**
 * Stores outside the platform in which a secret's value may stand: HashiCorp Vault, files and programs of the platform's machine. A secret
 * then holds a {@link ai.molecule.registry.secrets.stores.Reference}, and {@link ai.molecule.registry.secrets.stores.SecretStores} looks
 * the value up whenever it is handed out. Every store is off until the operator configures it; callers choose neither an address, nor a
 * program, nor a folder. No value is written to a disk or a log.
 */
@NullMarked
package ai.molecule.registry.secrets.stores;

import org.jspecify.annotations.NullMarked;
