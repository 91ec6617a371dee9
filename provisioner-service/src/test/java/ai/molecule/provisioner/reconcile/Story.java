package ai.molecule.provisioner.reconcile;

import ai.molecule.provisioner.testing.StandInRegistry;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BiConsumer;

/** What happens to a workspace that ran well, or is new, before a provisioner looks at it and dies. */
enum Story {
    FIRST_START(Story::nothing, true),
    RESTART((world, id) -> world.registry().restart(id), false),
    PAUSE((world, id) -> world.registry().pause(id), false),
    RESUME(
            (world, id) -> {
                world.registry().pause(id);
                world.settle(id);
                world.registry().restart(id);
            },
            false),
    FALLING_ASLEEP((world, id) -> world.registry().hibernate(id), false),
    WAKING(
            (world, id) -> {
                world.registry().hibernate(id);
                world.settle(id);
                world.registry().restart(id);
            },
            false),
    WOKEN_BEFORE_IT_SLEPT(
            (world, id) -> {
                world.registry().hibernate(id);
                world.registry().restart(id);
            },
            false),
    REMOVAL((world, id) -> world.registry().remove(id), false),
    DEATH((world, id) -> world.kill(id), false),
    FALLING_SILENT((world, id) -> world.registry().offline(id), false),
    LAST_DEATH_OF_A_LOOP(
            (world, id) -> {
                world.died(id, 2);
                world.kill(id);
            },
            false),
    NOT_ONLINE_IN_TIME(
            (world, id) -> {
                world.registry().restart(id);
                world.settle(id);
                world.pass(Duration.ofHours(1));
            },
            false),
    REFUSED_START((world, id) -> world.registry().undecryptable("global:KEY"), true),
    NO_LONGER_LISTED((world, id) -> world.registry().forget(id), false),
    RECORD_LOST((world, id) -> world.instances().delete(id).await(), false),
    PAUSED_AFTER_A_KILLED_START(Story::nothing, true),
    REMOVED_AFTER_A_KILLED_START(Story::nothing, true),
    RESTARTED_AFTER_A_KILLED_START(Story::nothing, true);

    final BiConsumer<ProvisionerWorld, UUID> prepare;
    final boolean fromNew;

    Story(BiConsumer<ProvisionerWorld, UUID> prepare, boolean fromNew) {
        this.prepare = prepare;
        this.fromNew = fromNew;
    }

    private static void nothing(ProvisionerWorld world, UUID id) {}

    /** What people do while no provisioner runs. */
    void meanwhile(StandInRegistry registry, UUID id) {
        switch (this) {
            case PAUSED_AFTER_A_KILLED_START -> registry.pause(id);
            case REMOVED_AFTER_A_KILLED_START -> registry.remove(id);
            case RESTARTED_AFTER_A_KILLED_START -> registry.restart(id);
            default -> {}
        }
    }
}
