package ai.molecule.common.testing;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * {@code Routes -> Service -> PgStore}, for every service, with an interface between the latter two where there is a second store or a
 * fake, and without the service where it would only pass on. A service's own architecture test takes them in with {@code
 * ArchTests.in(LayerRules.class)}.
 */
public final class LayerRules {

    @ArchTest
    static final ArchRule services_know_no_http = noClasses()
            .that()
            .haveSimpleNameEndingWith("Service")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx.ext.web..", "io.vertx.core.http..", "ai.molecule.common.http..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule services_know_no_sql = noClasses()
            .that()
            .haveSimpleNameEndingWith("Service")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx.sqlclient..", "io.vertx.pgclient..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule routes_know_no_sql = noClasses()
            .that()
            .haveSimpleNameEndingWith("Routes")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx.sqlclient..", "io.vertx.pgclient..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule sql_stays_in_what_is_named_for_it = noClasses()
            .that()
            .haveNameNotMatching(".*\\.Pg[A-Za-z]+(\\$.*)?|.*Verticle(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx.sqlclient..", "io.vertx.pgclient..");

    private LayerRules() {}
}
