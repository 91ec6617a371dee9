package planted;
final class Planted { int  one( ) { return 1 ; } }
