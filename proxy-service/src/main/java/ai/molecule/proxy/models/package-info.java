/**
 * The model door: agents reach models through the platform, which keeps the providers' keys, meters every call and stops what a
 * workspace cannot pay. {@link ai.molecule.proxy.models.ProviderTable} says who the providers are, {@link
 * ai.molecule.proxy.models.ModelDoorRoutes} is the door, {@link ai.molecule.proxy.models.ModelCall} one call from its request to its row,
 * {@link ai.molecule.proxy.models.Ledger} what was spent and what is promised. Bytes pass as they are; what is read of them is the
 * model's name, whether it streams, and the usage.
 */
@NullMarked
package ai.molecule.proxy.models;

import org.jspecify.annotations.NullMarked;
