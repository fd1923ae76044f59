"""What people look at: tables, pages, films."""
