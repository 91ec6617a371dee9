package ai.molecule.common.db;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Where statements run: a {@link Database}, a transaction of it or a {@link Session}. Statements are prepared, and kept so. */
public interface Sql {

    /** Statements with which events are appended name this function; see {@link Database}. */
    String APPENDS = "log.append(";

    /** On a connection whose owner looks after it and tells of appended events: a transaction begun elsewhere. */
    static Sql of(SqlClient client) {
        return () -> client;
    }

    /** One member of each as an array, for a parameter that is unnested. */
    static <T, C> C[] column(Collection<T> rows, Function<T, C> member, IntFunction<C[]> array) {
        return rows.stream().map(member).toArray(array);
    }

    SqlClient client();

    /** To be called with each statement once it is done. */
    default void ran(String statement) {}

    default Future<RowSet<Row>> query(String statement, Tuple parameters) {
        return client().preparedQuery(statement).execute(parameters).onSuccess(done -> ran(statement));
    }

    default Future<RowSet<Row>> query(String statement) {
        return query(statement, Tuple.tuple());
    }

    default Future<Void> run(String statement, Tuple parameters) {
        return query(statement, parameters).mapEmpty();
    }

    default Future<Void> run(String statement) {
        return run(statement, Tuple.tuple());
    }

    /** What each row says, in the order of the rows. */
    default <T> Future<List<T>> list(String statement, Tuple parameters, Function<Row, T> each) {
        return query(statement, parameters).map(rows -> rows.stream().map(each).toList());
    }

    /** What the rows say, by what they say it of, in the order of the rows. */
    default <K, V> Future<Map<K, V>> map(
            String statement, Tuple parameters, Function<Row, K> key, Function<Row, V> value) {
        return query(statement, parameters).map(rows -> {
            Map<K, V> found = LinkedHashMap.newLinkedHashMap(rows.size());
            rows.forEach(row -> found.put(key.apply(row), value.apply(row)));
            return found;
        });
    }

    /** What the first row says; empty without one. */
    default <T> Future<Optional<T>> find(String statement, Tuple parameters, Function<Row, T> first) {
        return query(statement, parameters).map(rows -> rows.stream().map(first).findFirst());
    }

    /** What the one row says that the statement always has. */
    default <T> Future<T> get(String statement, Tuple parameters, Function<Row, T> only) {
        return query(statement, parameters)
                .map(rows -> only.apply(rows.iterator().next()));
    }

    /** How many rows it changed. */
    default Future<Integer> update(String statement, Tuple parameters) {
        return query(statement, parameters).map(RowSet::rowCount);
    }

    /** Whether it changed any row. */
    default Future<Boolean> changes(String statement, Tuple parameters) {
        return update(statement, parameters).map(rows -> rows > 0);
    }
}
