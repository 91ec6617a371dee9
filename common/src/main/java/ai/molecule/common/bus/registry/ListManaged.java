package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Managed workspaces in id order, removed ones included for an hour so that the provisioner can clean up after them. Called by
 * the provisioner's sweep, or for one workspace. Reads only.
 *
 * @param id only this one; null for a page
 * @param after the last id of the page before; null for the first page
 * @param limit at most 500
 */
public record ListManaged(@Nullable UUID id, @Nullable UUID after, int limit) {

    public static final Contract<ListManaged, Page> CONTRACT =
            Contract.reading("registry.list-managed", ListManaged.class, Page.class);

    public static ListManaged one(UUID id) {
        return new ListManaged(id, null, 1);
    }

    /** A page shorter than the limit is the last. */
    public record Page(List<ManagedWorkspace> workspaces) {}
}
