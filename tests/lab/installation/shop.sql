create table customers (
  id bigint generated always as identity primary key,
  name text not null,
  email text,
  born date,
  loyalty numeric(10, 2) not null default 0
);
comment on column customers.email is 'Where the receipt goes.';
create table orders (
  id uuid primary key,
  customer_id bigint not null references customers (id),
  placed_at timestamptz not null,
  total numeric(12, 2) not null,
  note jsonb
);
insert into customers (name, email, born) values
  ('Eva', 'eva@acme.example', '1984-02-29'), ('Jan', null, null), ('Zoe', 'zoe@acme.example', '2001-07-01');
insert into orders values
  ('00000000-0000-4000-8000-000000000001', 1, '2026-01-02T03:04:05Z', 19.80, '{"gift": true}'),
  ('00000000-0000-4000-8000-000000000002', 2, '2026-01-03T03:04:05Z', 9.90, null);
