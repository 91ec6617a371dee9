package ai.molecule.common.leases;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Replicas that share work through a store, with one clock and any faults: the store is away, a replica stands still, is cut off or dies,
 * statements are carried out late, answers of statements are lost. It keeps the rules of docs/adr/0109 as the loops that lease, adopt and
 * declare dead keep them, around the same {@link RenewalStreak}. One run is one interleaving, told by its seed.
 *
 * <p>A row is a message: whoever claims it calls an agent, which answers after some time. One that was sent already and whose holder is gone
 * ends as lost. Sixteen ticks are a lease.
 */
final class OutageModel {

    /** What must never come about, and did. */
    static final class Broken extends RuntimeException {
        Broken(String what) {
            super(what);
        }
    }

    private static final int LEASE = 16;
    private static final int RENEWAL = LEASE / RenewalStreak.RENEWALS_PER_LEASE;

    /** A renewal that failed is tried again before another would be due. */
    private static final int RETRY_MAX = 3;

    private static final int FAULT_MAX = 3 * LEASE;
    private static final int REPLICAS_MAX = 5;
    private static final int TICKS = 15 * LEASE;

    /** Long enough for everything that ends at all. */
    private static final int HEALING_MAX = 300 * LEASE;

    private enum End {
        ANSWERED,
        LOST
    }

    /** As it stands in the store. */
    private static final class Row {
        private long claim;
        private int dueAt;
        private boolean sent;
        private @Nullable End end;
    }

    /** Carried out when the store is there again; whoever sent it may have died meanwhile. */
    private record Late(int from, Replica sender, Instant until) {}

    private final class Replica {
        private final RenewalStreak streak = streaks.get();
        private final Map<Row, Long> held = new HashMap<>();
        private final Set<Row> calling = new HashSet<>();
        private final Set<Row> unwritten = new HashSet<>();
        private final List<Row> taken = new ArrayList<>();
        private boolean dead;
        private int stillUntil;
        private int cutUntil;

        /** When it last could not do what it wanted, for a reason of its own. */
        private int faultyAt = -FAULT_MAX;

        private int renewAt = now;

        boolean isRunning() {
            return !dead && now >= stillUntil;
        }

        boolean reaches() {
            return now >= awayUntil && now >= cutUntil;
        }

        void act() {
            if (now < stillUntil || now < cutUntil) {
                faultyAt = now;
            }
            if (!isRunning()) {
                return;
            }
            if (now >= renewAt) {
                renew();
            }
            List.copyOf(taken).forEach(this::begin);
            taken.clear();
            List.copyOf(calling).forEach(this::work);
            List.copyOf(unwritten).forEach(this::write);
            streak.judgesUntil().ifPresent(this::claim);
        }

        private void renew() {
            if (!reaches()) {
                renewAt = now + 1 + random.nextInt(RETRY_MAX);
                return;
            }
            held.forEach((row, claim) -> {
                if (row.claim == claim && row.end == null) {
                    row.dueAt = now + LEASE;
                }
            });
            if (chance(20)) { // carried out, and never heard of
                renewAt = now + 1 + random.nextInt(RETRY_MAX);
                return;
            }
            streak.renewed(at(now));
            renewAt = now + RENEWAL;
        }

        private void claim(Instant until) {
            if (now < cutUntil) {
                return;
            }
            if (now < awayUntil || chance(10)) {
                late.add(new Late(now + random.nextInt(RENEWAL), this, until));
                return;
            }
            claimed(until);
        }

        /** In the store. */
        private void claimed(Instant until) {
            if (!at(now).isBefore(until)) {
                return;
            }
            for (var row : rows) {
                if (row.end != null || row.dueAt > now) {
                    continue;
                }
                judge(this, row);
                row.claim++;
                row.dueAt = now + LEASE;
                if (!dead && !chance(20)) { // else its answer is lost
                    boolean worksOnIt = held.put(row, row.claim) != null;
                    if (!worksOnIt) {
                        taken.add(row);
                    }
                }
            }
        }

        /** A message that may have been sent is not sent again. */
        private void begin(Row row) {
            long claim = held.getOrDefault(row, -1L);
            if (!reaches() || row.claim != claim || row.end != null) {
                held.remove(row);
            } else if (row.sent) {
                row.end = End.LOST;
                held.remove(row);
            } else {
                row.sent = true;
                if (!calling.add(row)) {
                    throw new Broken("one replica works on a row twice");
                }
            }
        }

        private void work(Row row) {
            if (chance(12)) {
                calling.remove(row);
                unwritten.add(row);
                answered++;
            }
        }

        /** The agent's own word: it counts whoever holds the row by now, and is tried until it is written. */
        private void write(Row row) {
            if (!reaches()) {
                return;
            }
            if (row.end == null) {
                row.end = End.ANSWERED;
            }
            if (!chance(20)) {
                unwritten.remove(row);
                held.remove(row);
            }
        }
    }

    private final Random random;
    private final Supplier<RenewalStreak> streaks;
    private final List<Replica> replicas = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private final List<Late> late = new ArrayList<>();
    private int now;
    private int awayUntil;
    private int answered;

    private OutageModel(long seed, Supplier<RenewalStreak> streaks) {
        this.random = new Random(seed);
        this.streaks = streaks;
        for (int i = 0; i < 3; i++) {
            replicas.add(new Replica());
        }
    }

    /** How long a replica renews before it may judge others. */
    static RenewalStreak proven() {
        return RenewalStreak.proven(Duration.ofSeconds(LEASE));
    }

    /** Fails with {@link Broken}; answers how many calls were answered. */
    static int run(long seed, Supplier<RenewalStreak> streaks) {
        var model = new OutageModel(seed, streaks);
        for (int i = 0; i < TICKS; i++) {
            model.disturb();
            model.tick();
        }
        model.heal();
        for (int i = 0; i < HEALING_MAX && !model.isOver(); i++) {
            model.tick();
        }
        if (!model.isOver()) {
            throw new Broken("an end was never written");
        }
        return model.answered;
    }

    private void tick() {
        now++;
        if (now >= awayUntil && !late.isEmpty()) {
            var due = late.stream().filter(one -> one.from <= now).toList();
            late.removeAll(due);
            due.forEach(one -> one.sender.claimed(one.until)); // before anybody has had the time to renew
        }
        var inSomeOrder = new ArrayList<>(replicas);
        Collections.shuffle(inSomeOrder, random);
        inSomeOrder.forEach(Replica::act);
    }

    private void disturb() {
        if (chance(8)) {
            rows.add(new Row());
        }
        if (chance(50) && now > awayUntil + RETRY_MAX) { // whoever tries again after an outage finds that it is over
            awayUntil = now + 1 + random.nextInt(FAULT_MAX);
        }
        var one = replicas.get(random.nextInt(replicas.size()));
        switch (random.nextInt(200)) {
            case 0 -> one.stillUntil = now + 1 + random.nextInt(FAULT_MAX);
            case 1 -> one.cutUntil = now + 1 + random.nextInt(FAULT_MAX);
            case 2 -> one.dead = replicas.stream().filter(each -> !each.dead).count() > 1 || one.dead;
            case 3, 4 -> {
                if (replicas.stream().filter(each -> !each.dead).count() < REPLICAS_MAX) {
                    replicas.add(new Replica());
                }
            }
            default -> {}
        }
    }

    private void heal() {
        awayUntil = now;
        replicas.forEach(one -> {
            one.stillUntil = now;
            one.cutUntil = now;
        });
    }

    /** Before {@code claimer} has the row: nobody who only the store kept from renewing loses a call that goes on. */
    private void judge(Replica claimer, Row row) {
        for (var other : replicas) {
            boolean couldRenew = !other.dead && now - other.faultyAt > 2 * LEASE;
            boolean holds =
                    other.held.getOrDefault(row, -1L) == row.claim; // nobody has had it since, while it could not
            boolean atIt = holds && (other.calling.contains(row) || other.unwritten.contains(row));
            if (other != claimer && atIt && couldRenew) {
                throw new Broken("a call was claimed by another although its holder lives");
            }
        }
    }

    private boolean isOver() {
        return rows.stream().allMatch(row -> row.end != null)
                && replicas.stream().allMatch(one -> one.dead || one.unwritten.isEmpty() && one.calling.isEmpty());
    }

    private boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private static Instant at(int tick) {
        return Instant.EPOCH.plusSeconds(tick);
    }
}
