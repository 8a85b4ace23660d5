"""Migrations of each tool: the tables they leave, with a column that the second one drops or renames."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.migrations import read_migration
from scanner_model.catalogs import CatalogTable


def tables(reading) -> dict[str, list[str]]:
    return {table.name: [column.path[0] for column in table.columns] for table in reading.of(CatalogTable)}


MIGRATIONS = {
    "Alembic": {
        "alembic/versions/001_a.py": (
            "import sqlalchemy as sa\n"
            "from alembic import op\n"
            "revision='001'\n"
            "down_revision=None\n"
            "def upgrade():\n"
            "    op.create_table('orders', sa.Column('id', sa.BigInteger(), nullable=False), sa.Column("
            "'total', sa.Float()))\n"
            "def downgrade():\n"
            "    op.drop_table('orders')\n"
        ),
        "alembic/versions/002_b.py": (
            "import sqlalchemy as sa\n"
            "from alembic import op\n"
            "revision='002'\n"
            "down_revision='001'\n"
            "def upgrade():\n"
            "    op.drop_column('orders', 'total')\n"
            "def downgrade():\n"
            "    op.add_column('orders', sa.Column('total', sa.Float()))\n"
        ),
    },
    "Django": {
        "shop/migrations/0001_initial.py": (
            "from django.db import migrations, models\n"
            "class Migration(migrations.Migration):\n"
            "    initial = True\n"
            '    operations = [migrations.CreateModel(name="Order", fields=[("id", models.BigAutoField('
            'primary_key=True)), ("total", models.FloatField())], options={"db_table": "orders"})]\n'
        ),
        "shop/migrations/0002_b.py": (
            "from django.db import migrations\n"
            "class Migration(migrations.Migration):\n"
            '    dependencies = [("shop", "0001_initial")]\n'
            '    operations = [migrations.RemoveField(model_name="order", name="total")]\n'
        ),
    },
    "Entity Framework": {
        "Migrations/1_Init.cs": (
            "public partial class Init : Migration { protected override void Up(MigrationBuilder migrat"
            'ionBuilder) { migrationBuilder.CreateTable(name: "orders", columns: table => new { id = ta'
            'ble.Column<long>(type: "bigint"), total = table.Column<double>(type: "double precision") }'
            "); } protected override void Down(MigrationBuilder migrationBuilder) { migrationBuilder.Dr"
            'opTable(name: "orders"); } }\n'
        ),
        "Migrations/2_Drop.cs": (
            "public partial class Drop : Migration { protected override void Up(MigrationBuilder migrat"
            'ionBuilder) { migrationBuilder.DropColumn(name: "total", table: "orders"); } protected ove'
            "rride void Down(MigrationBuilder migrationBuilder) { migrationBuilder.AddColumn<double>(na"
            'me: "total", table: "orders", type: "double precision"); } }\n'
        ),
    },
    "Knex": {
        "migrations/1.js": (
            "exports.up = knex => knex.schema.createTable('orders', t => { t.bigInteger('id'); t.float("
            "'total') })\n"
            "exports.down = knex => knex.schema.dropTable('orders')\n"
        ),
        "migrations/2.js": (
            "exports.up = knex => knex.schema.table('orders', t => { t.dropColumn('total') })\n"
            "exports.down = knex => knex.schema.table('orders', t => { t.float('total') })\n"
        ),
    },
    "Sequelize": {
        "migrations/1.js": (
            "module.exports = { up: (q, S) => q.createTable('orders', {id: S.BIGINT, total: S.FLOAT}), "
            "down: q => q.dropTable('orders') }\n"
        ),
        "migrations/2.js": (
            "module.exports = { up: (q, S) => q.removeColumn('orders', 'total'), down: (q,S) => q.addCo"
            "lumn('orders','total',S.FLOAT) }\n"
        ),
    },
    "TypeORM with SQL": {
        "src/migrations/1-a.ts": (
            "export class A1 implements MigrationInterface { async up(q: QueryRunner) { await q.query(`"
            'CREATE TABLE "orders" ("id" bigint NOT NULL, "total" double precision)`) } async down(q: Q'
            'ueryRunner) { await q.query(`DROP TABLE "orders"`) } }\n'
        ),
        "src/migrations/2-b.ts": (
            "export class B2 implements MigrationInterface { async up(q: QueryRunner) { await q.query(`"
            'ALTER TABLE "orders" DROP COLUMN "total"`) } async down(q: QueryRunner) { await q.query(`A'
            'LTER TABLE "orders" ADD "total" double precision`) } }\n'
        ),
    },
    "TypeORM": {
        "src/migrations/1-a.ts": (
            "export class A1 implements MigrationInterface { async up(q: QueryRunner) { await q.createT"
            "able(new Table({name: 'orders', columns: [{name: 'id', type: 'bigint'}, {name: 'total', ty"
            "pe: 'double'}]})) } async down(q: QueryRunner) {} }\n"
        ),
        "src/migrations/2-b.ts": (
            "export class B2 implements MigrationInterface { async up(q: QueryRunner) { await q.dropCol"
            "umn('orders', 'total') } async down(q: QueryRunner) { } }\n"
        ),
    },
    "Drizzle": {
        "src/schema.ts": (
            "import { pgTable, bigint } from 'drizzle-orm/pg-core'\n"
            "export const orders = pgTable('orders', { id: bigint('id', {mode:'number'}).primaryKey() }"
            ")\n"
        ),
    },
    "Prisma": {
        "prisma/schema.prisma": ('model Order {\n  id BigInt @id\n  @@map("orders")\n}\n'),
    },
    "Atlas": {
        "schema.hcl": ('table "orders" {\n  schema = schema.public\n  column "id" {\n    type = bigint\n  }\n}\n'),
    },
    "Rails": {
        "db/migrate/20240101_create.rb": (
            "class CreateOrders < ActiveRecord::Migration[7.0]\n"
            "  def change\n"
            "    create_table :orders do |t|\n"
            "      t.float :total\n"
            "    end\n"
            "  end\n"
            "end\n"
        ),
        "db/migrate/20240102_drop.rb": (
            "class DropTotal < ActiveRecord::Migration[7.0]\n"
            "  def change\n"
            "    remove_column :orders, :total, :float\n"
            "  end\n"
            "end\n"
        ),
    },
    "Liquibase XML": {
        "db/changelog.xml": (
            '<databaseChangeLog><changeSet id="1" author="a"><createTable tableName="orders"><column na'
            'me="id" type="bigint"/><column name="total" type="double"/></createTable></changeSet><chan'
            'geSet id="2" author="a"><dropColumn tableName="orders" columnName="total"/></changeSet></d'
            "atabaseChangeLog>"
        ),
    },
    "Liquibase YAML": {
        "db/changelog.yaml": (
            "databaseChangeLog:\n"
            "- changeSet:\n"
            "    id: 1\n"
            "    changes:\n"
            "    - createTable:\n"
            "        tableName: orders\n"
            "        columns:\n"
            "        - column: {name: id, type: bigint}\n"
            "        - column: {name: total, type: double}\n"
            "- changeSet:\n"
            "    id: 2\n"
            "    changes:\n"
            "    - dropColumn: {tableName: orders, columnName: total}\n"
        ),
    },
    "goose": {
        "migrations/1_a.sql": (
            "-- +goose Up\n"
            "CREATE TABLE orders (id bigint primary key, total double precision);\n"
            "-- +goose Down\n"
            "DROP TABLE orders;\n"
        ),
        "migrations/2_b.sql": (
            "-- +goose Up\n"
            "ALTER TABLE orders DROP COLUMN total;\n"
            "-- +goose Down\n"
            "ALTER TABLE orders ADD COLUMN total double precision;\n"
        ),
    },
}


@pytest.mark.parametrize("files", MIGRATIONS.values(), ids=MIGRATIONS)
def test_a_column_that_a_later_migration_drops_is_gone(files, read_repository):
    assert tables(read_repository(files)) == {"orders": ["id"]}


def test_revisions_of_alembic_follow_each_other_whatever_their_names(read_repository):
    create = "op.create_table('orders', sa.Column('id', sa.Integer()), sa.Column('total', sa.Float()))"
    files = {
        "v/b.py": f"from alembic import op\nrevision = 'bb'\ndown_revision = None\ndef upgrade():\n    {create}\n",
        "v/a.py": (
            "from alembic import op\nrevision = 'aa'\ndown_revision = 'bb'\ndef upgrade():\n"
            "    with op.batch_alter_table('orders') as batch:\n        batch.drop_column('total')\n"
        ),
    }

    assert tables(read_repository(files)) == {"orders": ["id"]}


def test_what_takes_a_migration_back_is_left_out(read_repository):
    files = {
        "m/1.up.sql": "CREATE TABLE orders (id bigint, total float);",
        "m/2.up.sql": "ALTER TABLE orders DROP COLUMN total;",
        "m/3.down.sql": "ALTER TABLE orders ADD COLUMN total float;",
        "m/U2__undo.sql": "ALTER TABLE orders ADD COLUMN total float;",
    }

    assert tables(read_repository(files)) == {"orders": ["id"]}


def test_a_change_may_be_in_a_file_that_comes_first(read_repository):
    files = {"a.sql": "ALTER TABLE orders DROP COLUMN total;", "b.sql": "CREATE TABLE orders (id bigint, total float);"}

    assert tables(read_repository(files)) == {"orders": ["id"]}


@pytest.mark.parametrize("text", ["", "<databaseChangeLog>", "<databaseChangeLog><createTable/></databaseChangeLog>"])
def test_a_changelog_that_is_not_complete_has_no_tables(text, read_repository):
    assert "orders" not in tables(read_repository({"a.xml": text}))


PYTHON = "from alembic import op\nimport sqlalchemy as sa\n"
DROPPED = "ALTER TABLE orders DROP COLUMN total"


@pytest.mark.parametrize(
    ("path", "text", "statements"),
    [
        ("a.py", PYTHON + f"def upgrade():\n  op.get_bind().execute(sa.text('{DROPPED}'))\n", [DROPPED]),
        ("a.py", PYTHON + "T = 'orders'\ndef upgrade():\n  op.drop_column(T, 'total')\n", [DROPPED]),
        ("a.py", PYTHON + "def upgrade():\n  op.execute('ALTER TABLE orders ' 'DROP COLUMN total')\n", [DROPPED]),
        (
            "shop/migrations/2.py",
            f"class M(migrations.Migration):\n  operations = [migrations.RunSQL('{DROPPED}',"
            " 'ALTER TABLE orders ADD COLUMN total int')]\n",
            [DROPPED],
        ),
        (
            "shop/migrations/2.py",
            "class M(migrations.Migration):\n  operations = [migrations.SeparateDatabaseAndState("
            "state_operations=[migrations.RemoveField('order', 'total')])]\n",
            [],
        ),
        (
            "V2__x.java",
            "import org.flywaydb.core.api.migration.*;\nclass V2__x extends BaseJavaMigration {\n"
            f'  public void migrate(Context c) {{ c.jdbc().execute("{DROPPED}"); }}\n}}\n',
            [DROPPED],
        ),
        (
            "2.js",
            "exports.up = pgm => { pgm.dropColumns('orders', ['total', 'note']); };\n",
            [DROPPED, "ALTER TABLE orders DROP COLUMN note"],
        ),
        ("migrations/2.ts", f"export async function up(knex) {{ await knex.raw(`\n  {DROPPED}\n`); }}\n", [DROPPED]),
        (
            "migrations/2.go",
            f'package m\nfunc upX(t Tx) {{ t.Exec("{DROPPED}") }}\n'
            'func downX(t Tx) { t.Exec("ALTER TABLE orders ADD COLUMN total int") }\n',
            [DROPPED],
        ),
        ("migrations/2.go", f'package m\nfunc Up(c Context, tx Tx) {{ tx.ExecContext(c, "{DROPPED}") }}\n', [DROPPED]),
        (
            "2.rb",
            "class A < ActiveRecord::Migration[7.1]\n  def up\n    safety_assured { remove_columns :orders, :total }\n"
            "  end\n  def down\n    add_column :orders, :total, :string\n  end\nend\n",
            [DROPPED],
        ),
        (
            "2.rb",
            "class A < ActiveRecord::Migration[7.1]\n  def change\n    change_table :orders, bulk: true do |t|\n"
            "      t.remove :total, type: :string\n    end\n  end\nend\n",
            [DROPPED],
        ),
        (
            "2.rb",
            "class A < ActiveRecord::Migration[7.1]\n  def change\n    reversible do |dir|\n      dir.up do\n"
            f"        execute <<~SQL\n          {DROPPED}\n        SQL\n      end\n      dir.down do\n"
            "        execute 'ALTER TABLE orders ADD COLUMN total int'\n      end\n    end\n  end\nend\n",
            [DROPPED],
        ),
        (
            "2.rb",
            "class A < ActiveRecord::Migration[7.1]\n  def change\n    remove_reference :orders, :shop\n  end\nend\n",
            ["ALTER TABLE orders DROP COLUMN shop_id"],
        ),
    ],
)
def test_a_migration_is_read_as_the_statements_that_it_runs(path, text, statements):
    found = read_migration(RepositoryFile(path, text))
    assert found == (tuple(statements), ())


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", PYTHON + "def upgrade():\n  op.execute(f'ALTER TABLE {TABLE} DROP COLUMN total')\n"),
        ("a.py", PYTHON + "def upgrade():\n  op.drop_column(table_of('x'), column)\n"),
        ("a.py", PYTHON + "def upgrade():\n  op.alter_column('orders', 'total', type_=sa.Text())\n"),
        (
            "shop/migrations/2.py",
            "class M(migrations.Migration):\n  operations = [migrations.AlterField('order', 'a', x)]\n",
        ),
        ("2.cs", 'class A : Migration { void Up(MigrationBuilder b) { b.DropTable(name: "orders"); } }\n'),
        ("2.rb", "class A < ActiveRecord::Migration[7.1]\n  def change\n    rename_table :orders, :x\n  end\nend\n"),
        ("2.js", "exports.up = pgm => { pgm.addColumns('a', {b: 'int'}); pgm.alterThing('orders', x); };\n"),
        ("c.yaml", "databaseChangeLog:\n- changeSet: {id: 1, changes: [{modifyDataType: {tableName: orders}}]}\n"),
        (
            "V2.kt",
            'import org.flywaydb.core.api.migration.*\nclass V2 { val sql = "ALTER TABLE orders DROP COLUMN a" }\n',
        ),
    ],
)
def test_an_operation_without_a_known_effect_on_columns_is_left(path, text):
    assert read_migration(RepositoryFile(path, text)).left


@pytest.mark.parametrize(
    "text",
    [
        "op.create_index('i', 'orders', ['total'])",
        "op.execute('CREATE INDEX i ON orders (total)')",
        "print('orders are done')",
    ],
)
def test_an_operation_that_leaves_columns_is_nothing(text):
    found = read_migration(RepositoryFile("a.py", f"{PYTHON}def upgrade():\n  {text}\n"))
    assert found == ((), ())


def test_a_column_may_be_called_like_a_change():
    """The words `type` and `change` are names behind ADD and DROP."""
    code = "ALTER TABLE orders ADD COLUMN type text, DROP COLUMN change"
    found = read_migration(RepositoryFile("a.py", f"{PYTHON}def upgrade():\n  op.execute('{code}')\n"))

    assert found == ((code,), ())


@pytest.mark.parametrize("path", ["db/2_x.down.sql", "db/U2__x.sql", "revert/x.sql"])
def test_a_file_that_takes_a_migration_back_drops_no_column(path, read_repository):
    reading = read_repository({"db/1.sql": "CREATE TABLE public.orders (id int, total int);", path: f"{DROPPED};"})
    assert tables(reading) == {"public.orders": ["id", "total"]}


def test_a_table_is_altered_by_a_name_with_another_number_of_parts(read_repository):
    statements = {"1.sql": "CREATE TABLE public.orders (id int, total int);", "2.sql": f"{DROPPED};"}
    assert tables(read_repository(statements)) == {"public.orders": ["id"]}
