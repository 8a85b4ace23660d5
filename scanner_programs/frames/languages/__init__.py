"""Source files in Scala, Java and Kotlin, lowered to syntax trees of Python."""
